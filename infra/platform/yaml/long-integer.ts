/** An integer of 64 bits that no number of JavaScript can hold; as JSON it is written as it came. */
export class LongInteger {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }

  valueOf(): bigint {
    return this.value;
  }

  toJSON(): object {
    // Not in the types of TypeScript yet.
    return (JSON as unknown as { rawJSON(text: string): object }).rawJSON(this.value.toString());
  }
}

const BITS = 64;

/** The integer as Kubernetes holds it: exact within 64 bits, else the nearest number. */
export function integerOf(exact: bigint): number | LongInteger {
  const nearest = Number(exact);
  return Number.isSafeInteger(nearest) || BigInt.asIntN(BITS, exact) !== exact
    ? nearest
    : new LongInteger(exact);
}
