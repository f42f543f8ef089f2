import type { Random } from "../../shared/runtime/ports.ts";
import type { Hints } from "../../shared/runtime/queue/hints.ts";
import type { Reviewer } from "../worker/diagnostics/reviews.ts";
import type { ListenAddress } from "../worker/http-listener.ts";
import type { Ports, RouteContext } from "./ports.ts";

export interface ConsoleOptions extends RouteContext {
  readonly address: ListenAddress;
  /** Names under which browsers open it, beside those of loopback: `console.example.com`, `localhost:9470`. */
  readonly hostNames: readonly string[];
  /** Folder with `tls.crt` and `tls.key`, beyond loopback; without it the certificate signs itself. */
  readonly certDir?: string | undefined;
  /** Asks the management API server about persons and their rights. */
  readonly reviewer: Reviewer;
  /** The person who starts it, and opens the link. */
  readonly person: string;
  /** Namespaces that hold Clusters. */
  readonly namespaces: () => Promise<readonly string[]>;
  /** Whether the data are of this management cluster; absent: they cannot be of another. */
  readonly isOwnData?: (() => Promise<boolean>) | undefined;
  /** Opens the data, with the first request. */
  readonly open: (opened: AsyncDisposableStack) => Promise<ConsoleData>;
  readonly random: Pick<Random, "id">;
}

/** The data of a console. */
export interface ConsoleData {
  readonly ports: Ports;
  /** Reads the page; absent where the API alone is served. */
  readonly page?: ReadPage | undefined;
  /** The hints; absent where open pages read once a second what they show. */
  readonly hints?: Hints | undefined;
}

/** A file of the page, as the build has made it. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly contentType: string;
}

/** Returns a file by its path: the shell for every path that is not one of its other files. Undefined: the page is not built. */
export type ReadPage = (path: string) => Promise<PageFile | undefined>;
