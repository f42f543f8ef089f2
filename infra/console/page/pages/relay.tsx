import type { RelayAnswer } from "../../api/relay.ts";
import { useStale, useTopic } from "../data/hooks.ts";
import { type Column, Grid, SINCE } from "../list/grid.tsx";
import { Table, type TableColumn, Wide } from "../parts/facts.tsx";
import { ClusterLink } from "../parts/links.tsx";
import type { MarkName } from "../parts/mark-names.ts";
import { Part, WhenCurrent } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { counted, countText } from "../text/words.ts";

type Process = RelayAnswer["processes"][number];
type Connection = RelayAnswer["connections"][number];
type Watch = NonNullable<Process["watches"]>[number];

/** Watches, connections to workload clusters, and processes. */
export function Relay() {
  const answer = useTopic<RelayAnswer>("relay");
  const isOld = useStale().length > 0;
  return (
    <>
      <div class="head">
        <h1>Relay and workers</h1>
      </div>
      <Part title="Processes" answer={answer} aside="that gave a sign of life within 30 s">
        {({ processes }) => <Processes processes={processes} isNow={answer.error === undefined} />}
      </Part>
      <Part
        title="Workload clusters with a problem"
        answer={answer}
        aside={
          answer.body?.connected !== undefined &&
          (isOld
            ? counted(answer.body.connected, "other was connected", "others were connected")
            : counted(answer.body.connected, "other is connected", "others are connected"))
        }
      >
        {({ connections }) => <Connections connections={connections} />}
      </Part>
      <Part title="Watches of the management cluster" answer={answer}>
        {({ processes }) => <Watches processes={processes} />}
      </Part>
    </>
  );
}

interface ProcessesProps {
  readonly processes: readonly Process[];
  /** They have just said how they are. */
  readonly isNow: boolean;
}

function Processes({ processes, isNow }: ProcessesProps) {
  if (processes.length === 0)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare /> <b>No process is known.</b> Without a relay nothing is seen, without
        workers nothing runs.
      </p>
    );
  return (
    <Wide label="Table of processes">
      <Table
        class="sheet plain-table"
        columns={processColumns(isNow)}
        rows={processes}
        idOf={({ id }) => id}
      />
    </Wide>
  );
}

const processColumns = (isNow: boolean): readonly TableColumn<Process>[] => [
  {
    title: "Process",
    cell: ({ id, ready }) => (
      <span class="named">
        <Mark of={ready ? "healthy" : "waiting"} bare isOwnWord={isNow} />
        <Foreign text={id} />
      </span>
    ),
  },
  { title: "Role", cell: ({ role }) => <Foreign text={role} /> },
  {
    title: "State",
    cell: ({ ready, reasons }) => (
      <span class={ready ? "" : "warn"}>
        {ready ? "Ready" : "Not ready"}
        {reasons.length > 0 && (
          <>
            : <Foreign text={reasons.join("; ")} />
          </>
        )}
      </span>
    ),
  },
  {
    title: "Functions",
    class: "number",
    cell: ({ functions }) => <span title={functions.join(", ")}>{countText(functions.length)}</span>,
  },
  { title: "Running", class: "number", cell: ({ running }) => running !== undefined && countText(running) },
  { title: "Version", cell: ({ version }) => <Foreign text={version} /> },
  { title: "Seen", cell: ({ seenAt }) => <Age since={seenAt} /> },
];

function Connections({ connections }: { readonly connections: readonly Connection[] }) {
  if (connections.length === 0)
    return (
      <p class="sheet say">
        <Mark of="healthy" bare />{" "}
        <WhenCurrent or={<b>None, when this was known.</b>}>
          <b>None.</b> Every workload cluster that you may see answers.
        </WhenCurrent>
      </p>
    );
  return (
    <Grid
      label="Workload clusters with a problem"
      one="connection"
      of="connections"
      rows={connections}
      columns={CONNECTIONS}
      idOf={idOf}
    />
  );
}

function idOf({ namespace, name }: Connection): string {
  return `${namespace}/${name}`;
}

const CONNECTIONS: readonly Column<Connection>[] = [
  {
    title: "Cluster",
    width: "minmax(180px, 280px)",
    narrow: "first",
    cell: ({ namespace, name }) => (
      <span class="named">
        <Mark of="unreachable" />
        <ClusterLink of={{ namespace, name }} />
      </span>
    ),
  },
  { title: "State", width: "120px", cell: ({ state }) => <Foreign text={state} /> },
  {
    title: "Why",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ reason = "" }) => <Foreign text={reason} />,
  },
  SINCE,
];

const WATCH_MARKS: { readonly [state in Watch["state"]]: MarkName } = {
  streaming: "healthy",
  listing: "progressing",
  backoff: "waiting",
  stopped: "unknown",
};

function Watches({ processes }: { readonly processes: readonly Process[] }) {
  const rows = processes.flatMap(({ id, watches = [] }) => watches.map((watch) => ({ id, watch })));
  if (rows.length === 0)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare /> No process reports its watches.
      </p>
    );
  return (
    <Grid
      label="Watches of the management cluster"
      one="watch"
      of="watches"
      rows={rows}
      columns={WATCHES}
      idOf={({ id, watch }) => `${id} ${watch.name}`}
    />
  );
}

const WATCHES: readonly Column<{ readonly watch: Watch }>[] = [
  { title: "Watch", width: "minmax(240px, 2fr)", narrow: "first", cell: ({ watch }) => <Name of={watch} /> },
  { title: "State", width: "90px", narrow: "end", cell: ({ watch }) => watch.state },
  { title: "Lists", width: "50px", isNumber: true, cell: ({ watch }) => countText(watch.lists) },
  { title: "Pending", width: "60px", isNumber: true, cell: ({ watch }) => countText(watch.pending) },
  {
    title: "Reconnects",
    width: "minmax(110px, 1fr)",
    cell: ({ watch }) =>
      Object.entries(watch.reconnects)
        .map(([cause, count]) => `${count} × ${cause}`)
        .join(", "),
  },
  {
    title: "Problems",
    width: "minmax(160px, 2fr)",
    narrow: "second",
    cell: ({ watch }) => <Problems of={watch} />,
  },
];

/** All of them are of the management cluster. A screen that is too narrow cuts the group, which many watches share. */
function Name({ of: { name: given, state } }: { readonly of: Watch }) {
  const name = given.replace(/^management /, "");
  const end = name.includes(".") ? name.indexOf(".") : name.length;
  return (
    <span class="named">
      <Mark of={WATCH_MARKS[state]} bare />
      <span>
        <Foreign text={name.slice(0, end)} />
        <small>
          <Foreign text={name.slice(end)} />
        </small>
      </span>
    </span>
  );
}

/** The object first: it is one to look for. */
function Problems({ of: { oversized, undecodable } }: { readonly of: Watch }) {
  return (
    <span class="warn">
      {oversized !== undefined && (
        <>
          Too large: <Foreign text={oversized} />
          {undecodable > 0 && "; "}
        </>
      )}
      {undecodable > 0 && `${counted(undecodable, "line")} unreadable`}
    </span>
  );
}
