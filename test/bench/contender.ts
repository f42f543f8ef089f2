import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Load } from "./relay-load.ts";

/** Who follows watches in the comparison: Capstan's relay, or the stock informer. */
export interface Contender extends AsyncDisposable {
  follow(
    what: { readonly url: URL; readonly load: Load; readonly name: string; readonly untrusted?: boolean },
    on: { listed(): void; changed(object: KubeObject): void },
  ): Promise<void>;
  /** Since the last list. */
  jobs(): number;
}
