import type { Explained } from "../../api/explained.ts";
import type { ObjectAnswer } from "../../api/object.ts";
import { useRoute, useTopic } from "../data/hooks.ts";
import { History } from "../history/history.tsx";
import { LiveObject } from "../live/live-object.tsx";
import { Commands, Fact, Table, Wide } from "../parts/facts.tsx";
import { Crumbs, namespaceCrumbs, PlaceLink } from "../parts/links.tsx";
import { Part, WhenCurrent } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { hrefOf, pathOf } from "../place/place.ts";
import { Tree } from "../tree/tree.tsx";
import { markAbove, markOf } from "../tree/tree-rows.ts";
import { Troubles } from "../tree/troubles.tsx";

interface Props {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object: its facts, how each function stands, what they did, and the commands for the same. */
export function ObjectPage({ kind, namespace, name }: Props) {
  const path = pathOf("objects", kind, namespace, name).slice(1);
  const answer = useTopic<ObjectAnswer>(path);
  const hasRuns = useRoute("GET /objects/{kind}/{namespace}/{name}/runs");
  const isLive = useRoute("GET /objects/{kind}/{namespace}/{name}/live");
  const { body } = answer;
  return (
    <>
      <Crumbs of={[...namespaceCrumbs(namespace), ...clusterCrumb(body?.cluster)]} />
      <div class="head">
        <h1>
          {body !== undefined && <Mark of={markAbove([markOf(body.tree)], body.causes)} />}
          <small>
            <Foreign text={kind} />
          </small>
          <Foreign text={name} />
          {body?.tree.phase !== undefined && (
            <small>
              <Foreign text={body.tree.phase} />
            </small>
          )}
        </h1>
      </div>
      {body !== undefined && <Troubles tree={alone(body.tree)} causes={body.causes} />}
      <Part title="Facts" answer={answer}>
        {(body) => <Facts of={body} />}
      </Part>
      {body?.rollout !== undefined && (
        <Part title="Rollout" answer={answer}>
          {({ rollout }) => rollout && <RolloutPlan of={rollout} />}
        </Part>
      )}
      <Part title="Functions" answer={answer}>
        {({ tree }) => <Tree label={`Functions of ${kind} ${name}`} root={tree} />}
      </Part>
      {isLive === true && <LiveObject of={path} />}
      {hasRuns === true && <History of={path} />}
      <Part title="On the command line" answer={answer}>
        {({ commands }) => <Commands commands={commands} />}
      </Part>
    </>
  );
}

function clusterCrumb(cluster: ObjectAnswer["cluster"]) {
  if (cluster === undefined) return [];
  return [{ title: cluster.name, href: hrefOf({ type: "cluster", ...cluster }) }];
}

function alone(tree: Explained): Explained {
  return { ...tree, children: [] };
}

function Facts({ of: { version, createdAt, owner, replicas, tree } }: { readonly of: ObjectAnswer }) {
  const { conditions, details = [], deletingSince, nodes, problem, standsStill } = tree;
  return (
    <dl class="sheet facts">
      {version !== undefined && (
        <Fact title="Version">
          <Foreign text={version} maxChars={80} />
        </Fact>
      )}
      {createdAt !== undefined && (
        <Fact title="Created">
          <Age since={createdAt} /> ago
        </Fact>
      )}
      {owner !== undefined && (
        <Fact title="Owner">
          <PlaceLink text={owner} />
        </Fact>
      )}
      {/* Some kinds say it among their details, in the same words as the command line. */}
      {replicas !== undefined && !details.some(({ about }) => about === "Machines") && (
        <Fact title="Replicas">{replicas}</Fact>
      )}
      {deletingSince !== undefined && (
        <Fact title="Being deleted">
          for <Age since={deletingSince} />
        </Fact>
      )}
      {nodes !== undefined && (
        <Fact title="Nodes">
          <Foreign text={nodes} />
        </Fact>
      )}
      {standsStill !== undefined && (
        <Fact title="Rollout" isProblem>
          <Foreign text={standsStill} />
        </Fact>
      )}
      {problem !== undefined && (
        <Fact title="Problem" isProblem>
          <Foreign text={problem} />
        </Fact>
      )}
      {details.map(({ about, lines, isProblem }) => (
        <Fact key={about} title={<Foreign text={about} />} isProblem={isProblem}>
          <Foreign text={lines.join("\n")} lines />
        </Fact>
      ))}
      {conditions.map(({ type, status, reason, message }) => (
        <Fact key={type} title={<Foreign text={type} />}>
          <Foreign text={status} />
          {reason !== "" && (
            <span class="muted">
              {" "}
              <Foreign text={reason} />
            </span>
          )}
          {message !== "" && (
            <>
              : <Foreign text={message} lines />
            </>
          )}
        </Fact>
      ))}
      {conditions.length === 0 && (
        <Fact title="Conditions">
          <Mark of="healthy" bare />{" "}
          <WhenCurrent or="none showed a problem when this was known">none shows a problem</WhenCurrent>
        </Fact>
      )}
    </dl>
  );
}

const COLUMNS = ["Step", "Change", "Machines", "Counts"].map((title, at) => ({
  title,
  cell: (row: readonly string[]) => <Foreign text={row[at] ?? ""} />,
}));

/** The steps of a rollout: the sets now, each step with its Machines, and how it ends. */
function RolloutPlan({ of }: { readonly of: NonNullable<ObjectAnswer["rollout"]> }) {
  const { limits, rows, summary } = of;
  return (
    <div class="sheet">
      <p class="say">{limits}</p>
      <Wide label="Table of the steps of the rollout">
        <Table class="plain-table" columns={COLUMNS} rows={rows} idOf={(row) => row.join(" ")} />
      </Wide>
      {summary.map((line) => (
        <p key={line} class="say">
          {line}
        </p>
      ))}
    </div>
  );
}
