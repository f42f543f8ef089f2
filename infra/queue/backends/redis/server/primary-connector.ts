import { connect, Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { AbstractConnector, Redis, ReplyError, type StandaloneConnectionOptions } from "ioredis";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { isLoopback, REPLICA } from "./checks.ts";

type Address = Pick<StandaloneConnectionOptions, "host" | "port"> & {
  readonly disconnectTimeout: number;
  readonly tls?: ConnectionOptions | true;
  /** Name of the primary: the server is a Sentinel, which knows where that is (`?sentinel=NAME` of the URL). */
  readonly sentinel?: string;
  /** A replica of a Redis Cluster may answer, too: it knows where the primaries are. */
  readonly anyNode?: boolean;
};

const SENTINEL_ANSWERS_MS = 5 * SECOND;

/**
 * Connects to one server, and lets no connection become ready while this is a replica: it would refuse every write, or
 * show old data. So after a failover it reconnects until the address leads to the primary.
 */
export class PrimaryConnector extends AbstractConnector {
  readonly #address: Address;
  #report: (type: string, error: Error) => void = () => undefined;

  constructor(options: unknown) {
    const address = options as Address;
    super(address.disconnectTimeout);
    this.#address = address;
  }

  override async connect(report: (type: string, error: Error) => void): Promise<Socket> {
    this.#report = report;
    this.connecting = true;
    const primary = await primaryOf(this.#address).catch((error: Error) => error);
    if (primary instanceof Error) return this.#failed(primary);
    const { host = "localhost", port = 6_379 } = primary;
    const { tls } = this.#address;
    this.stream =
      tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...(tls === true ? {} : tls) });
    this.stream.once("error", (error) => {
      this.firstError = error;
    });
    return this.stream as Socket;
  }

  /** Returns a socket that has failed: ioredis tries again after one, and never after a rejection. */
  #failed(error: Error): Socket {
    this.firstError = error;
    return new Socket().destroy();
  }

  override check({ role, cluster_enabled }: Readonly<Record<string, string>>): boolean {
    if (role !== "slave" || (this.#address.anyNode === true && cluster_enabled === "1")) return true;
    this.#report("error", new ReplyError(REPLICA));
    return false;
  }
}

/** Asks a Sentinel, if the address is one, where the primary is now. */
async function primaryOf(address: Address): Promise<Pick<Address, "host" | "port">> {
  const { host = "localhost", port = 26_379, tls, sentinel } = address;
  if (sentinel === undefined) return address;
  const asked = new Redis({
    host,
    port,
    ...(tls === undefined ? {} : { tls: tls === true ? {} : tls }),
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: SENTINEL_ANSWERS_MS,
    commandTimeout: SENTINEL_ANSWERS_MS,
    retryStrategy: () => null,
  });
  // The rejected call says it.
  asked.on("error", () => undefined);
  try {
    await asked.connect();
    const found = await asked.call("SENTINEL", "get-master-addr-by-name", sentinel);
    const [at, atPort] = Array.isArray(found) ? found.map(String) : [];
    if (at === undefined)
      throw new Error(`the Sentinel at ${host}:${port} does not know a primary named ${sentinel}`);
    if (tls === undefined && !isLoopback(at))
      throw new Error(
        `the Sentinel at ${host}:${port} names ${at}, which is not loopback, so it needs TLS; write rediss://`,
      );
    return { host: at, port: Number(atPort) };
  } finally {
    asked.disconnect();
  }
}
