/** A broker's answer that breaks the protocol's rules: a length beyond its end, an impossible number. Never leaves the adapter. */
export class MalformedResponse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedResponse';
  }
}
