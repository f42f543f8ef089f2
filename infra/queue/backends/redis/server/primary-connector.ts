import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { AbstractConnector, ReplyError, type StandaloneConnectionOptions } from "ioredis";

const REPLICA = "it is a read-only replica; name the primary";

type Address = Pick<StandaloneConnectionOptions, "host" | "port"> & {
  readonly disconnectTimeout: number;
  readonly tls?: ConnectionOptions | true;
};

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
    const { host = "localhost", port = 6_379, tls } = this.#address;
    this.stream =
      tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...(tls === true ? {} : tls) });
    this.stream.once("error", (error) => {
      this.firstError = error;
    });
    return this.stream as Socket;
  }

  override check({ role }: { readonly role?: string }): boolean {
    if (role !== "slave") return true;
    this.#report("error", new ReplyError(REPLICA));
    return false;
  }
}
