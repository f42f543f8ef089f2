import type { ClusterAnswer } from "../../api/object.ts";
import { useRoute, useTopic } from "../data/hooks.ts";
import { History } from "../history/history.tsx";
import { Crumbs, namespaceCrumbs } from "../parts/links.tsx";
import { Part } from "../parts/part.tsx";
import { Foreign, Mark } from "../parts/text.tsx";
import { pathOf } from "../place/place.ts";
import { Tree } from "../tree/tree.tsx";
import { markAbove, worstOf } from "../tree/tree-rows.ts";
import { Troubles } from "../tree/troubles.tsx";

interface Props {
  readonly namespace: string;
  readonly name: string;
}

/** A Cluster: what holds it up, then everything that belongs to it. */
export function Cluster({ namespace, name }: Props) {
  const path = pathOf("clusters", namespace, name).slice(1);
  const answer = useTopic<ClusterAnswer>(path);
  const hasRuns = useRoute("GET /clusters/{namespace}/{name}/runs");
  const { body } = answer;
  return (
    <>
      <Crumbs of={namespaceCrumbs(namespace)} />
      <div class="head">
        <h1>
          {body !== undefined && <Mark of={markAbove([worstOf(body.tree)], body.causes)} />}
          <Foreign text={name} />
          {body?.tree.phase !== undefined && (
            <small>
              <Foreign text={body.tree.phase} />
            </small>
          )}
        </h1>
        <a class="muted" href={pathOf("objects", "Cluster", namespace, name)}>
          Conditions and history
        </a>
      </div>
      {body !== undefined && <Troubles tree={body.tree} causes={body.causes} />}
      <Part title="Objects" answer={answer} aside="the worst first">
        {({ tree }) => <Tree label={`Objects of Cluster ${name}`} root={tree} />}
      </Part>
      {hasRuns === true && <History of={path} isMixed />}
    </>
  );
}
