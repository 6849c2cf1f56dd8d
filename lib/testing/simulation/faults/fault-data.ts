/** One fault of one scenario, drawn by its kind (fault.ts): a JSON value. */
export interface Fault {
  readonly kind: string;
  /** What the kind has drawn: times in virtual milliseconds, counts from 0. */
  readonly [parameter: string]: string | number | boolean;
}
