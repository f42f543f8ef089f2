/** One answered request, for tests that count who wrote what. */
export interface RequestRecord {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly userAgent: string;
  readonly code: number;
}

const MAX_RECORDS = 10_000;

/** The last 10,000 requests, oldest first. */
export class RequestLog {
  readonly #records: RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  add(record: RequestRecord): void {
    this.#records.push(record);
    // In larger steps, because every cut moves all that remain.
    if (this.#records.length >= 2 * MAX_RECORDS) this.#records.splice(0, MAX_RECORDS);
  }
}
