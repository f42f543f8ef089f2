/* Loaded before a process of Capstan starts: for it, it is so many milliseconds later than for the others. */
const AHEAD_MS = Number(process.env["CAPSTAN_TEST_AHEAD_MS"]);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [RealDate.now() + AHEAD_MS] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + AHEAD_MS;
  }
} as DateConstructor;
