import type { Fleet as FleetBody, FleetItem, FleetOrder } from "../../api/fleet.ts";
import { useSteadyTopic } from "../data/hooks.ts";
import { type Column, PagedGrid, SINCE } from "../list/grid.tsx";
import { Chips, Filter } from "../parts/filters.tsx";
import { ClusterLink } from "../parts/links.tsx";
import { MARK_NAMES, MARKS } from "../parts/mark-names.ts";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { addressWith, useAddress } from "../place/location.ts";
import { pathOf } from "../place/place.ts";
import { counted, countText } from "../text/words.ts";

const STATES = MARK_NAMES.filter((each) => each !== "silent");
/** The most needs that are shown above the table. */
const MOST_NEEDS = 6;
/** Parameters of the address that leave some Clusters out, beside the state and the text. */
const FILTERS = ["namespace", "version", "provider", "like"] as const;

/** Shows all Clusters: what needs a person and why, then a table, the worst first. */
export function Fleet() {
  const { query } = useAddress();
  const asked = ["state", ...FILTERS, "q", "sort"].flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value] as [string, string]];
  });
  const topic = `fleet?${new URLSearchParams([...asked, ["limit", "100"]])}`;
  const answer = useSteadyTopic<FleetBody>(topic);
  const isFiltered = asked.some(([name]) => name !== "sort");
  const { body } = answer;
  return (
    <>
      <div class="head">
        <h1>Fleet</h1>
        {body !== undefined && <span class="muted">{counted(body.total, "Cluster")}</span>}
        {FILTERS.map((name) => {
          const value = query.get(name);
          return value === null ? null : <Filtered key={name} name={name} value={value} />;
        })}
      </div>
      <Chips label="Clusters by state" chips={chipsOf(body, query.get("state") ?? "")} />
      {!isFiltered && (
        <Part title="Needs attention" answer={answer}>
          {(fleet) => <Needs fleet={fleet} />}
        </Part>
      )}
      <Part
        title={isFiltered ? "Clusters that match" : "All Clusters"}
        answer={answer}
        aside={query.has("sort") ? <a href={addressWith("sort", "")}>the worst first</a> : "the worst first"}
        end={<Filter name="q" value={query.get("q") ?? ""} label="Filter by name or reason" />}
      >
        {(fleet) => <Table topic={topic} fleet={fleet} isFiltered={isFiltered} />}
      </Part>
    </>
  );
}

/** A property that all Clusters of the list have, and the way back to all of them. */
function Filtered({ name, value }: { readonly name: (typeof FILTERS)[number]; readonly value: string }) {
  return (
    <span class="muted">
      {FILTER_WORDS[name]} <Foreign text={value} maxChars={80} /> (<a href={addressWith(name, "")}>all</a>)
    </span>
  );
}

const FILTER_WORDS = {
  namespace: "in namespace",
  version: "of version",
  provider: "of provider",
  like: "with the problem of",
} as const;

function chipsOf(fleet: FleetBody | undefined, state: string) {
  const all =
    fleet === undefined ? undefined : STATES.reduce((sum, each) => sum + (fleet.counts[each] ?? 0), 0);
  return [
    { title: "All", count: all, href: addressWith("state", ""), isOn: state === "" },
    ...STATES.filter((each) => each === state || (fleet?.counts[each] ?? 0) > 0).map((each) => ({
      title: each === "dead" ? "Dead letters" : MARKS[each].word,
      count: fleet?.counts[each] ?? (fleet === undefined ? undefined : 0),
      href: addressWith("state", state === each ? "" : each),
      isOn: state === each,
      mark: each,
    })),
  ];
}

function Needs({ fleet }: { readonly fleet: FleetBody }) {
  const needs = fleet.needs.slice(0, MOST_NEEDS);
  const more = fleet.needs.slice(MOST_NEEDS).reduce((sum, { count }) => sum + count, 0);
  if (needs.length === 0) return <Calm fleet={fleet} />;
  return (
    <ol class="sheet needs">
      {needs.map((item) => (
        <li key={idOf(item)} data-row="" tabIndex={-1}>
          <span class="named">
            <Mark of={item.state} />
            <ClusterLink of={item} />
          </span>
          <span class="why">
            {item.count > 1 && (
              <>
                <a href={`/?${new URLSearchParams({ like: idOf(item) })}`}>
                  {counted(item.count, "Cluster")}
                </a>
                {", this one: "}
              </>
            )}
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
      {more > 0 && <li class="muted">{`${countText(more)} more; the table below has them first`}</li>}
    </ol>
  );
}

function Calm({ fleet }: { readonly fleet: FleetBody }) {
  // Above the page stands why the data are old. They cannot show that no Cluster needs attention, or exists.
  if (fleet.stale !== undefined)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare />{" "}
        <b>{fleet.total === 0 ? "No Cluster is known." : "Nothing needed you when this was known."}</b>
      </p>
    );
  const unknown = fleet.counts.unknown ?? 0;
  if (unknown > 0)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare /> <b>Of {counted(unknown, "Cluster")} the state is not known.</b> The others
        need nothing.
      </p>
    );
  if (fleet.total === 0) return <NoCluster />;
  const paused = fleet.counts.paused ?? 0;
  return (
    <p class="sheet say">
      <Mark of="healthy" bare /> <b>No problems.</b>{" "}
      {paused > 0 && `${counted(paused, "Cluster")} ${paused === 1 ? "is" : "are"} paused. `}
      {`Every ${paused > 0 ? "other " : ""}Cluster is healthy or changes as asked.`}
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
      columns={columns()}
      idOf={idOf}
      empty={isFiltered && none}
    />
  );
}

/** A title sorts, a version and a provider filter; the address has both. */
const columns = (): readonly Column<FleetItem>[] => [
  {
    title: "Cluster",
    ...sortedBy("name"),
    width: "minmax(160px, 280px)",
    narrow: "first",
    cell: (item) => (
      <span class="named">
        <Mark of={item.state} />
        <ClusterLink of={item} />
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
    ...sortedBy("machines"),
    width: "84px",
    isNumber: true,
    cell: ({ machines: { ready, desired } }) => (
      <span class={ready < desired ? "warn" : ""}>{`${countText(ready)} / ${countText(desired)}`}</span>
    ),
  },
  {
    title: "Version",
    ...sortedBy("version"),
    width: "88px",
    cell: ({ version = "" }) => <FilterLink name="version" value={version} />,
  },
  {
    title: "Provider",
    ...sortedBy("provider"),
    width: "112px",
    cell: ({ provider = "" }) => <FilterLink name="provider" value={provider} />,
  },
  SINCE,
];

function sortedBy(sort: FleetOrder) {
  const isSorted = new URLSearchParams(location.search).get("sort") === sort;
  return { isSorted, href: addressWith("sort", isSorted ? "" : sort) };
}

function FilterLink({ name, value }: { readonly name: "version" | "provider"; readonly value: string }) {
  return value === "" ? null : (
    <a href={addressWith(name, value)}>
      <Foreign text={value} maxChars={40} />
    </a>
  );
}

function idOf({ namespace, name }: FleetItem): string {
  return `${namespace}/${name}`;
}
