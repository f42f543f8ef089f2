import { FAMILIES } from "../../infra/operate/takeover/families.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";

/** One version of an object. */
interface Version {
  readonly resourceVersion: string;
  /** Its `cluster.x-k8s.io/watch-filter` label. */
  readonly label: string | undefined;
  /** Field managers that wrote it, as its managedFields show; none where they do not. */
  readonly writers: readonly string[];
}

/** Every version of each object that changes hands, from the start until disposed. */
interface TimeLines extends AsyncDisposable {
  /** By `Kind name`. */
  readonly lines: ReadonlyMap<string, readonly Version[]>;
  /** Objects that are gone: `Kind name`. */
  readonly deleted: readonly string[];
  /** Writes of the managers of one side while the label says that the object is of the other. */
  overlaps(isWrong: (writer: string, label: string | undefined) => boolean): readonly string[];
}

interface Entry {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly operation?: string;
  readonly fieldsV1?: object;
}

export async function watchTimeLines(client: ServerClient): Promise<TimeLines> {
  const abort = new AbortController();
  const lines = new Map<string, Version[]>();
  const last = new Map<string, readonly Entry[]>();
  const deleted: string[] = [];
  const see = (object: KubeObject): void => {
    const title = `${object.kind} ${object.metadata.name}`;
    const entries: readonly Entry[] = Reflect.get(object.metadata, "managedFields") ?? [];
    const before = last.get(title);
    last.set(title, entries);
    const { resourceVersion = "", labels } = object.metadata;
    const writers = before === undefined ? [] : writersOf(before, entries);
    lines.set(title, [
      ...(lines.get(title) ?? []),
      { resourceVersion, label: labels?.[WATCH_FILTER_LABEL], writers },
    ]);
  };
  const follow = async (kind: Kind, resourceVersion: string): Promise<void> => {
    const options = { resourceVersion, timeoutSeconds: 3_600 };
    for await (const { type, object } of client.watch(kind, options, abort.signal)) {
      if (type === "BOOKMARK") continue;
      see(object);
      if (type === "DELETED") deleted.push(`${object.kind} ${object.metadata.name}`);
    }
    throw new Error(`the server has ended the watch of ${kind.kind}`);
  };
  const watches: Promise<unknown>[] = [];
  for (const kind of FAMILIES) {
    const { items, resourceVersion } = await client.list(kind, {});
    for (const item of items) see({ ...item, kind: kind.kind });
    watches.push(
      follow(kind, resourceVersion).catch((error: unknown) => (abort.signal.aborted ? undefined : error)),
    );
  }
  return {
    lines,
    deleted,
    overlaps: (isWrong) =>
      [...lines].flatMap(([title, versions]) =>
        versions.flatMap(({ label, writers, resourceVersion }) =>
          writers
            .filter((writer) => isWrong(writer, label))
            .map((writer) => `${title} at ${resourceVersion}, labelled ${label}: ${writer}`),
        ),
      ),
    async [Symbol.asyncDispose]() {
      abort.abort();
      const [error] = (await Promise.all(watches)).filter((each) => each !== undefined);
      if (error !== undefined) throw error;
    },
  };
}

/** Who gained a field, or wrote at another time. A manager that only lost fields wrote nothing. */
function writersOf(before: readonly Entry[], after: readonly Entry[]): readonly string[] {
  const idOf = ({ manager, operation, subresource }: Entry) => `${manager} ${operation} ${subresource}`;
  const old = new Map(before.map((entry) => [idOf(entry), entry]));
  return after.flatMap((entry) => {
    const was = old.get(idOf(entry));
    const wrote = was === undefined || was.time !== entry.time || gained(was.fieldsV1, entry.fieldsV1);
    return wrote ? [entry.manager ?? ""] : [];
  });
}

function gained(before: object | undefined, after: object | undefined): boolean {
  if (after === undefined) return false;
  if (before === undefined) return true;
  return Object.entries(after).some(
    ([name, below]) => !Object.hasOwn(before, name) || gained(Reflect.get(before, name), below as object),
  );
}
