import { useState } from "preact/hooks";
import type { Explained } from "../../api/explained.ts";
import type { Managers, ObjectAnswer } from "../../api/object.ts";
import { useTopic } from "../data/hooks.ts";
import { useRoute } from "../data/use-routes.ts";
import { History } from "../history/history.tsx";
import { Age } from "../parts/age.tsx";
import { Commands } from "../parts/commands.tsx";
import { Crumbs, namespaceCrumbs } from "../parts/crumbs.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { hrefOf, pathOf } from "../place/place.ts";
import { Tree } from "../tree/tree.tsx";
import { markOf } from "../tree/tree-rows.ts";
import { Troubles } from "../tree/troubles.tsx";

interface Props {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** An object: its facts, how each function stands, what they did, and the commands for the same (W-104). */
export function ObjectPage({ kind, namespace, name }: Props) {
  const path = pathOf("objects", kind, namespace, name).slice(1);
  const answer = useTopic<ObjectAnswer>(path);
  const hasRuns = useRoute("GET /objects/{kind}/{namespace}/{name}/runs");
  const { body } = answer;
  return (
    <>
      <Crumbs of={[...namespaceCrumbs(namespace), ...clusterCrumb(body?.cluster)]} />
      <div class="head">
        <h1>
          {body !== undefined && <Mark of={markOf(body.tree)} />}
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
        {({ tree }) => <Facts tree={tree} />}
      </Part>
      <Part title="Functions" answer={answer}>
        {({ tree }) => <Tree label={`Functions of ${kind} ${name}`} root={tree} />}
      </Part>
      {hasRuns === true && <History of={path} />}
      <FieldManagers of={path} />
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

function Facts({
  tree: { conditions, details = [], deletingSince, nodes, problem },
}: {
  readonly tree: Explained;
}) {
  return (
    <dl class="sheet facts">
      {deletingSince !== undefined && (
        <>
          <dt>Being deleted</dt>
          <dd>
            for <Age since={deletingSince} />
          </dd>
        </>
      )}
      {nodes !== undefined && (
        <>
          <dt>Nodes</dt>
          <dd>
            <Foreign text={nodes} />
          </dd>
        </>
      )}
      {problem !== undefined && (
        <>
          <dt>Problem</dt>
          <dd class="warn">
            <Foreign text={problem} />
          </dd>
        </>
      )}
      {details.map(({ about, lines, isProblem }) => (
        <div key={about}>
          <dt>
            <Foreign text={about} />
          </dt>
          <dd class={isProblem === true ? "warn" : ""}>
            <Foreign text={lines.join("\n")} lines />
          </dd>
        </div>
      ))}
      {conditions.map(({ type, status, reason, message }) => (
        <div key={type}>
          <dt>
            <Foreign text={type} />
          </dt>
          <dd>
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
          </dd>
        </div>
      ))}
      {conditions.length === 0 && (
        <div>
          <dt>Conditions</dt>
          <dd>
            <Mark of="healthy" bare /> none shows a problem
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Read live, with the rights of the viewer, so only when a person asks. */
function FieldManagers({ of }: { readonly of: string }) {
  const [isOpen, open] = useState(false);
  if (useRoute("GET /objects/{kind}/{namespace}/{name}/managers") !== true) return null;
  return isOpen ? (
    <OpenManagers of={of} />
  ) : (
    <section class="part" aria-label="Field managers">
      <header>
        <h2>Field managers</h2>
        <button type="button" class="button" onClick={() => open(true)}>
          Read from the API server
        </button>
      </header>
    </section>
  );
}

function OpenManagers({ of }: { readonly of: string }) {
  const answer = useTopic<Managers>(`${of}/managers`);
  return (
    <Part title="Field managers" answer={answer} aside="as the API server has them">
      {({ items }) => (
        <table class="sheet plain-table">
          <thead>
            <tr>
              <th scope="col">Manager</th>
              <th scope="col">Field</th>
              <th scope="col">Written</th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ manager, field, time }) => (
              <tr key={`${manager} ${field}`}>
                <td>
                  <Foreign text={manager} />
                </td>
                <td class="mono">
                  <Foreign text={field} />
                </td>
                <td>{time !== "" && <Age since={time} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}
