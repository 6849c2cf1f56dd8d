/** A payment service for tests: it charges cards, and remembers what it has charged. */

export interface Charge {
  readonly card: string;
  readonly amount: number;
}

/** What the application needs of a payment service. */
export interface Payments {
  /** @param idempotencyKey a charge of the same key is made once, however often it is asked for */
  charge(charge: Charge, idempotencyKey?: string): Promise<string>;
}

export class FakePayments implements Payments {
  /** Every charge that was made, in order. */
  readonly charges: Charge[] = [];
  private readonly receipts = new Map<string, string>();

  async charge(charge: Charge, idempotencyKey?: string): Promise<string> {
    const before = idempotencyKey === undefined ? undefined : this.receipts.get(idempotencyKey);
    if (before !== undefined) return before;
    this.charges.push(charge);
    const receipt = `receipt-${this.charges.length}`;
    if (idempotencyKey !== undefined) this.receipts.set(idempotencyKey, receipt);
    return receipt;
  }
}
