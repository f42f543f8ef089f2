import type { Fleet as FleetBody, FleetItem } from "../../api/fleet.ts";
import { useSteadyTopic } from "../data/hooks.ts";
import type { Column } from "../list/grid.tsx";
import { PagedGrid } from "../list/paged-grid.tsx";
import { Age } from "../parts/age.tsx";
import { Chips } from "../parts/chips.tsx";
import { Filter } from "../parts/filter.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { MARK_NAMES, MARKS, type MarkName } from "../parts/mark-names.ts";
import { Part } from "../parts/part.tsx";
import { useAddress } from "../place/location.ts";
import { hrefOf, pathOf } from "../place/place.ts";
import { counted, countText } from "../text/amounts.ts";

/** States in which a person may have to do something, worst first. */
const NEEDS: readonly MarkName[] = ["dead", "failing", "unreachable", "waiting"];
/** So many are shown above the table. */
const MOST_NEEDS = 6;

/** All Clusters: what needs a person and why, then a table, the worst first (W-101). */
export function Fleet() {
  const { query } = useAddress();
  const state = query.get("state") ?? "";
  const text = query.get("q") ?? "";
  const namespace = query.get("namespace") ?? "";
  const topic = `fleet?${new URLSearchParams({ ...(state && { state }), ...(namespace && { namespace }), ...(text && { q: text }), limit: "100" })}`;
  const answer = useSteadyTopic<FleetBody>(topic);
  const isFiltered = state !== "" || text !== "" || namespace !== "";
  const { body } = answer;
  return (
    <>
      <div class="head">
        <h1>Fleet</h1>
        {body !== undefined && (
          <span class="muted">
            {counted(body.total, "Cluster")}
            {namespace !== "" && (
              <>
                {" "}
                in <Foreign text={namespace} />
              </>
            )}
          </span>
        )}
      </div>
      <Chips label="Clusters by state" chips={chipsOf(body, state, query)} />
      {!isFiltered && (
        <Part title="Needs attention" answer={answer}>
          {(fleet) => <Needs fleet={fleet} />}
        </Part>
      )}
      <Part
        title={isFiltered ? "Clusters that match" : "All Clusters"}
        answer={answer}
        aside="the worst first"
        end={<Filter name="q" value={text} label="Filter by name or reason" />}
      >
        {(fleet) => <Table topic={topic} fleet={fleet} isFiltered={isFiltered} />}
      </Part>
    </>
  );
}

function chipsOf(fleet: FleetBody | undefined, state: string, query: URLSearchParams) {
  const hrefWith = (value: string): string => {
    const next = new URLSearchParams(query);
    if (value === "") next.delete("state");
    else next.set("state", value);
    const text = next.toString();
    return text === "" ? "/" : `/?${text}`;
  };
  const all =
    fleet === undefined ? undefined : MARK_NAMES.reduce((sum, each) => sum + (fleet.counts[each] ?? 0), 0);
  return [
    { title: "All", count: all, href: hrefWith(""), isOn: state === "" },
    ...MARK_NAMES.filter((each) => each === state || (fleet?.counts[each] ?? 0) > 0).map((each) => ({
      title: each === "dead" ? "Dead letters" : MARKS[each].word,
      count: fleet?.counts[each] ?? (fleet === undefined ? undefined : 0),
      href: hrefWith(state === each ? "" : each),
      isOn: state === each,
      mark: each,
    })),
  ];
}

function Needs({ fleet }: { readonly fleet: FleetBody }) {
  const needs = fleet.items.filter(({ state }) => NEEDS.includes(state)).slice(0, MOST_NEEDS);
  const all = NEEDS.reduce((sum, state) => sum + (fleet.counts[state] ?? 0), 0);
  if (needs.length === 0) return <Calm fleet={fleet} />;
  return (
    <ol class="sheet needs">
      {needs.map((item) => (
        <li key={hrefOf(placeOf(item))} data-row="" tabIndex={-1}>
          <span class="named">
            <Mark of={item.state} />
            <ClusterLink item={item} />
          </span>
          <span class="why">
            <Foreign text={item.reason ?? MARKS[item.state].word} />
            {item.about !== undefined && item.state === "dead" && (
              <>
                {" "}
                <a href={pathOf("letters", item.about.function, item.about.key)}>Letter</a>
              </>
            )}
          </span>
          <span class="age">{item.since !== undefined && <Age since={item.since} />}</span>
        </li>
      ))}
      {all > needs.length && (
        <li class="muted">{`${countText(all - needs.length)} more; the table below has them first`}</li>
      )}
    </ol>
  );
}

function Calm({ fleet }: { readonly fleet: FleetBody }) {
  const unknown = fleet.counts.unknown ?? 0;
  if (unknown > 0)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare /> <b>Of {counted(unknown, "Cluster")} the state is not known.</b> The others
        need nothing.
      </p>
    );
  // The header of the part says why the data are old. Old data cannot show that no Cluster needs attention, or exists.
  if (fleet.stale !== undefined)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare />{" "}
        <b>{fleet.total === 0 ? "No Cluster is known." : "Nothing needed you when this was known."}</b>
      </p>
    );
  if (fleet.total === 0) return <NoCluster />;
  const paused = fleet.counts.paused ?? 0;
  return (
    <p class="sheet say">
      <Mark of="healthy" bare /> <b>Nothing needs you.</b>{" "}
      {paused > 0 && `${counted(paused, "Cluster")} ${paused === 1 ? "is" : "are"} paused. `}
      {`Every ${paused > 0 ? "other " : ""}Cluster is healthy or on its way.`}
    </p>
  );
}

function NoCluster() {
  return (
    <p class="sheet say">
      <b>There is no Cluster that you may see.</b> With <code>kubectl apply</code> of a Cluster the first one
      appears here.
    </p>
  );
}

function Table({
  topic,
  fleet,
  isFiltered,
}: {
  readonly topic: string;
  readonly fleet: FleetBody;
  readonly isFiltered: boolean;
}) {
  const none = (
    <p class="sheet say">
      <b>No Cluster matches.</b> <a href="/">Show all</a>
    </p>
  );
  return (
    <PagedGrid
      topic={topic}
      first={fleet}
      label="Clusters"
      one="Cluster"
      columns={COLUMNS}
      idOf={idOf}
      empty={isFiltered && none}
    />
  );
}

const COLUMNS: readonly Column<FleetItem>[] = [
  {
    title: "Cluster",
    width: "minmax(180px, 280px)",
    narrow: "first",
    cell: (item) => (
      <span class="named">
        <Mark of={item.state} />
        <ClusterLink item={item} />
      </span>
    ),
  },
  {
    title: "Why",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ reason, phase = "" }) =>
      reason === undefined ? (
        <span class="muted">{<Foreign text={phase} />}</span>
      ) : (
        <Foreign text={reason} />
      ),
  },
  {
    title: "Machines",
    width: "100px",
    isNumber: true,
    cell: ({ machines: { ready, desired } }) => (
      <span class={ready < desired ? "warn" : ""}>{`${countText(ready)} / ${countText(desired)}`}</span>
    ),
  },
  { title: "Version", width: "88px", cell: ({ version = "" }) => <Foreign text={version} maxChars={40} /> },
  {
    title: "Since",
    width: "56px",
    isNumber: true,
    narrow: "end",
    cell: ({ since }) => since !== undefined && <Age since={since} />,
  },
];

function ClusterLink({ item }: { readonly item: FleetItem }) {
  return (
    <a href={hrefOf(placeOf(item))}>
      <small>
        <Foreign text={item.namespace} />/
      </small>
      <Foreign text={item.name} />
    </a>
  );
}

function placeOf({ namespace, name }: FleetItem) {
  return { type: "cluster", namespace, name } as const;
}

function idOf({ namespace, name }: FleetItem): string {
  return `${namespace}/${name}`;
}
