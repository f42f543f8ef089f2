import type { Clock, Store } from "../../shared/runtime/ports.ts";
import { SIGN_EVERY_MS } from "../../shared/runtime/read/signs.ts";
import { rest } from "../platform/rest.ts";
import type { Relay } from "./relay.ts";

interface SigningOptions {
  readonly relay: Pick<Relay, "followed">;
  readonly store: Pick<Store, "signs">;
  readonly clock: Clock;
}

/** Lets the watches of a relay give signs of life, until this is disposed: then they are silent. */
export function startSigning({ relay, store, clock }: SigningOptions): AsyncDisposable {
  const abort = new AbortController();
  const sign = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const followed = relay.followed();
      // While the read model is away nothing reads it either.
      if (followed.length > 0) await store.signs.note(followed, clock.now()).catch(() => undefined);
      await rest(SIGN_EVERY_MS, clock, abort.signal);
    }
  };
  const underWay = sign();
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await underWay;
    },
  };
}
