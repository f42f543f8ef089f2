import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { systemClock } from "../../platform/clock.ts";
import type { CertificateAuthority, CertificateProblem } from "../../platform/pki/certificate-authority.ts";
import { systemRandom } from "../../platform/random.ts";
import { badRequest } from "./errors/status-error.ts";
import type { Administered } from "./faults/admin.ts";
import { type Fault, Faults, hides } from "./faults/faults.ts";
import {
  type ListenerOptions,
  listen,
  RequestLog,
  type RequestRecord,
  TOKEN_SEGMENT,
} from "./http/listener.ts";
import { openPort, type Port, type PortOptions, type TlsIdentity } from "./http/port.ts";
import { Converters } from "./kinds/conversion.ts";
import { type PermissionRule, type Serve, Users, type VirtualServer } from "./request/request.ts";
import { Journal } from "./storage/journal.ts";
import { Storage } from "./storage/storage.ts";
import { runVirtualServer, type VirtualServerOptions, type VirtualServerRun } from "./virtual-server.ts";

export interface ApiServerOptions {
  readonly name: string;
  /** The port; 0 = a free port, the default. */
  readonly port?: number;
  /** Address in its URL, and where it listens. Default 127.0.0.1; another one only with TLS. */
  readonly host?: string;
  /** Where it listens instead; `all`: on all addresses of this machine. */
  readonly listenOn?: string;
  /** Further names and addresses by which clients may call it; others but loopback are refused. */
  readonly names?: readonly string[];
  /** Bearer token of the first user, who is called `admin` and may do everything; random when absent. */
  readonly token?: string;
  /**
   * Serves HTTPS with a certificate of an authority made for it, which the kubeconfig names. Default false.
   * `presented`: with what `present` is given; until then every connection fails.
   */
  readonly tls?: boolean | "presented";
  /** Keeps the objects in this folder, so that the next server with it continues; in memory only when absent. */
  readonly data?: string;
  /** The time between bookmarks; default 60,000. */
  readonly bookmarkIntervalMs?: number;
  /**
   * Whether controllers run; default true: garbage is collected and deleted Namespaces end; a real server without
   * controller manager does neither.
   */
  readonly controllers?: boolean;
  /**
   * How long a second of a deleted Pod's grace period lasts, in seconds. Default 0: nothing runs that could need it.
   */
  readonly podGraceScale?: number;
  /** Whether requests are recorded; default false: `requests` stays empty. */
  readonly recordRequests?: boolean;
  /** The clock and random numbers; default: those of this process. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Where requests come from. Default: a port of loopback. */
  readonly listen?: Listen | undefined;
  /** The objects that it begins with, instead of none; not together with `data`. */
  readonly storage?: Storage | undefined;
}

/** Takes requests from now on. Throws when the port is taken. */
export type Listen = (options: PortOptions, serve: Serve) => Promise<Port>;

/** A user with limited permissions. */
interface NewUser {
  readonly name: string;
  readonly allow: readonly PermissionRule[];
}

export interface ApiServer extends Administered, AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** `http://127.0.0.1:<port>`, `https` with TLS; requests carry `Authorization: Bearer <token>`. */
  readonly url: string;
  readonly token: string;
  /** The last requests, oldest first, up to 10,000; only with `recordRequests`. */
  readonly requests: readonly RequestRecord[];
  /** Its objects, for who looks on; others after a restart. */
  readonly storage: Storage;
  /** Returns YAML text; cluster and context are named after the server. Contains the token: write it with mode 0600. */
  kubeconfig(token?: string): string;
  /** Converts between the versions of kinds whose CRD has strategy Webhook. */
  readonly converters: Converters;
  /** Returns the bearer token of a new user. */
  addUser(user: NewUser): string;
  /** Authority that clients must trust, as PEM text; only with TLS. */
  readonly certificateAuthority: () => string | undefined;
  /** Shows this certificate from now on, and trusts the client certificates of its authority. Breaks all connections. */
  present(identity: Required<TlsIdentity>): void;
  /** Lets it answer, or break every connection, old and new, whatever the request is. */
  setAnswers(answers: boolean): void;
  stop(): Promise<void>;
}

const BOOKMARK_INTERVAL_MS = 60_000;

/** Starts a Kubernetes-style API server on loopback, with its own objects; ready when it resolves. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { name, port = 0, host = "127.0.0.1", clock = systemClock, random = systemRandom } = options;
  const { listen: listenOn = openPort, storage = new Storage(undefined, clock) } = options;
  const journal = options.data === undefined ? undefined : new Journal(options.data);
  const shared = { users: new Users(), converters: new Converters() };
  const token = shared.users.add({ name: "admin" }, options.token ?? random.id(24));
  const run = (storage: Storage) => runVirtualServer(storage, virtualOptions(options, shared));
  let running = await orClose(journal, () => run(journal?.storage ?? storage));
  const log = new RequestLog();
  const listener: ListenerOptions = {
    server: () => running.server,
    faults: new Faults((fault) => endHidden(running.server, fault)),
    // The checks of its bodies need a library that most servers never use.
    administer: async (message, segments) =>
      (await import("./faults/admin.ts")).administer(apiServer, message, segments),
    log: options.recordRequests ? log : undefined,
    names: new Set([host, ...(options.names ?? [])].map((each) => hostInUrl(each))),
  };
  const state: Presence = { isDown: false, answers: true };
  const tls = await startTls(options.tls);
  const opened = listenOn({ port, host: placeOf(options, host), identity: tls.identity }, (exchange) => {
    if (state.isDown || !state.answers) exchange.reset();
    else void listen(listener, exchange);
  });
  const door = await opened.catch((error: unknown) => endWith(error, running, journal));
  const url = `${tls.identity ? "https" : "http"}://${hostInUrl(host)}:${door.number}`;
  const restart: ApiServer["restart"] = async ({ undo = 0, keep } = {}) => {
    const { storage } = running.server;
    const past = storage.asOf(storage.version - undo);
    if (!past) throw badRequest(`history does not reach back ${undo} writes`);
    state.isDown = true;
    door.breakConnections(keep);
    running.stop();
    const failure = await failureOf(journal?.replace(past));
    running = run(failure === undefined ? past : storage);
    state.isDown = false;
    if (failure !== undefined) throw failure;
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    running.stop();
    stopped ??= door.close().then(() => journal?.close());
    return stopped;
  };
  const apiServer: ApiServer = {
    name,
    port: door.number,
    url,
    token,
    requests: log.records,
    get storage() {
      return running.server.storage;
    },
    faults: listener.faults,
    converters: shared.converters,
    certificateAuthority: () => tls.trusted(),
    kubeconfig: (of = token) => kubeconfigText(name, url, of, tls.trusted()),
    present: (next) => tls.present(door, next),
    presentCertificate: async (problem) => door.present(await tls.issue(problem)),
    addUser: (user) => shared.users.add(user),
    compact: () => running.server.storage.compact(),
    restart,
    setAnswers: (answers) => letAnswer(state, door, answers),
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return apiServer;
}

function placeOf({ listenOn }: ApiServerOptions, host: string): string | undefined {
  return listenOn === "all" ? undefined : (listenOn ?? host);
}

async function endWith(error: unknown, running: VirtualServerRun, journal?: Journal): Promise<never> {
  running.stop();
  await journal?.close();
  throw error;
}

interface Presence {
  /** It starts again. */
  isDown: boolean;
  answers: boolean;
}

function letAnswer(state: Presence, door: Port, answers: boolean): void {
  state.answers = answers;
  if (!answers) door.breakConnections();
}

/** The part of a server that shows certificates; `identity` is undefined without TLS. */
async function startTls(mode: ApiServerOptions["tls"]) {
  const authority = mode === true ? await newAuthority() : undefined;
  let trusted = authority?.cert;
  return {
    identity: mode === "presented" ? {} : await authority?.issue(),
    /** The authority that clients must trust. */
    trusted: () => trusted,
    present(door: Port, identity: Required<TlsIdentity>) {
      trusted = identity.clientAuthority;
      door.present(identity);
      door.breakConnections();
    },
    /** A port without TLS refuses whatever it is given. */
    issue: async (problem?: CertificateProblem) => (authority ?? (await newAuthority())).issue(problem),
  };
}

/** Most servers need no certificates, and never load what makes them. */
async function newAuthority(): Promise<CertificateAuthority> {
  const { createCertificateAuthority } = await import("../../platform/pki/certificate-authority.ts");
  return createCertificateAuthority();
}

/** Returns the failure of a write: on a full disk the present objects stay. */
function failureOf(work: Promise<void> | undefined): Promise<Error | undefined> {
  return Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

/** A server that cannot begin, on a full disk for instance, gives its folder back. */
async function orClose<T>(journal: Journal | undefined, begin: () => T): Promise<T> {
  try {
    return begin();
  } catch (error) {
    await journal?.close();
    throw error;
  }
}

function virtualOptions(
  options: ApiServerOptions,
  shared: Pick<VirtualServerOptions, "users" | "converters">,
): VirtualServerOptions {
  return {
    ...shared,
    name: options.name,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS,
    controllers: options.controllers ?? true,
    podGraceScale: options.podGraceScale ?? 0,
    clock: options.clock,
    random: options.random,
  };
}

/** Ends the watches of what a fault takes out of service. */
function endHidden({ registry, storage }: VirtualServer, fault: Fault): void {
  for (const type of registry.types) if (hides(fault, type)) storage.collection(type.id).endWatches();
}

function kubeconfigText(name: string, url: string, token: string, authority: string | undefined): string {
  const quoted = JSON.stringify(name);
  const cluster =
    authority === undefined
      ? `server: ${url}/${TOKEN_SEGMENT}/${token}`
      : `server: ${url}
      certificate-authority-data: ${Buffer.from(authority).toString("base64")}`;
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${quoted}
    cluster:
      ${cluster}
users:
  - name: ${quoted}
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: ${quoted}
    context:
      cluster: ${quoted}
      user: ${quoted}
current-context: ${quoted}
`;
}
