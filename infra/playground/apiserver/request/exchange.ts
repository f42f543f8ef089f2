import type { IncomingHttpHeaders } from "node:http";

/** A whole answer. */
export interface Answered {
  readonly code: number;
  readonly text: string;
  /** The type of the body; default `application/json`. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** Where the lines of a watch go. */
export interface Lines {
  send(line: string): void;
  end(): void;
  /** Breaks the connection. */
  reset(): void;
}

/** The lines of a watch on their way to its client. */
export interface Stream extends Lines {
  /** Called once, when the stream is over: ended, broken off or left by either side. */
  onClose(callback: () => void): void;
}

/** A client certificate that the authority of the server has signed. */
interface ClientCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly notAfter: Date;
}

/** One request and the way back for its answer, over a socket or within this process. */
export interface Exchange {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Shown by the other side; `untrusted`: signed by another authority, or not valid. */
  readonly certificate: ClientCertificate | "untrusted" | undefined;
  /** The whole body, unpacked. Throws StatusError 413 beyond 3 MiB, 400 for a broken gzip stream. */
  readBody(): Promise<Buffer>;
  send(answer: Answered): Promise<void>;
  /** Begins an answer 200 without an end in sight. */
  stream(warnings: readonly string[]): Stream;
  /** The status of the answer, once one has begun. */
  readonly answeredWith: number | undefined;
  /** Ends without another byte: the other side sees a reset. */
  reset(): void;
}

/** Answers one exchange; never throws. */
export type Serve = (exchange: Exchange) => void;
