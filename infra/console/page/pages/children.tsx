import type { Children as ChildrenAnswer } from "../../api/object.ts";
import { useSteadyTopic } from "../data/hooks.ts";
import { type Column, PagedGrid } from "../list/grid.tsx";
import { Chips } from "../parts/filters.tsx";
import { Crumbs, namespaceCrumbs, PlaceLink } from "../parts/links.tsx";
import { Part, WhenCurrent } from "../parts/part.tsx";
import { Foreign, Mark } from "../parts/text.tsx";
import { useAddress } from "../place/location.ts";
import { hrefOf, pathOf } from "../place/place.ts";

type Child = ChildrenAnswer["items"][number];

interface Props {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Kind of the objects below it. */
  readonly of: string;
}

const STATES = [
  ["", "All"],
  ["other", "Not ready"],
  ["ready", "Ready"],
] as const;

/** The objects of one kind below another, worst first: a tree shows the first of them and counts the others. */
export function Children({ kind, namespace, name, of }: Props) {
  const { path, query } = useAddress();
  const state = query.get("state") ?? "";
  const parent = hrefOf(
    kind === "Cluster" ? { type: "cluster", namespace, name } : { type: "object", kind, namespace, name },
  );
  const topic = `${pathOf("objects", kind, namespace, name, "children").slice(1)}?${new URLSearchParams({ kind: of, ...(state && { state }), limit: "100" })}`;
  const answer = useSteadyTopic<ChildrenAnswer>(topic);
  return (
    <>
      <Crumbs of={[...namespaceCrumbs(namespace), { title: `${kind} ${name}`, href: parent }]} />
      <div class="head">
        <h1>
          <Foreign text={`${of}s`} />
          <small>
            of <Foreign text={`${kind} ${name}`} />
          </small>
        </h1>
      </div>
      <Chips
        label="By state"
        chips={STATES.map(([value, title]) => ({
          title,
          count: undefined,
          href: value === "" ? path : `${path}?${new URLSearchParams({ state: value })}`,
          isOn: state === value,
        }))}
      />
      <Part title="Objects" answer={answer} aside="the worst first">
        {(first) => (
          <PagedGrid
            topic={topic}
            first={first}
            label="Objects"
            one="object"
            columns={COLUMNS}
            idOf={idOf}
            empty={<p class="sheet say">There is none that you may see.</p>}
          />
        )}
      </Part>
    </>
  );
}

const COLUMNS: readonly Column<Child>[] = [
  {
    title: "Name",
    width: "minmax(200px, 340px)",
    narrow: "first",
    cell: ({ kind, namespace, name, isReady }) => (
      <span class="named">
        <Mark of={isReady ? "healthy" : "waiting"} />
        <PlaceLink text={name} place={{ type: "object", kind, namespace, name }} />
      </span>
    ),
  },
  {
    title: "Phase",
    width: "130px",
    narrow: "end",
    cell: ({ phase = "" }) => <Foreign text={phase} maxChars={40} />,
  },
  {
    title: "Why",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ problem, isReady }) =>
      problem === undefined ? (
        <span class="muted">{isReady ? <WhenCurrent>ready</WhenCurrent> : ""}</span>
      ) : (
        <Foreign text={problem} />
      ),
  },
];

function idOf({ kind, namespace, name }: Child): string {
  return `${kind} ${namespace}/${name}`;
}
