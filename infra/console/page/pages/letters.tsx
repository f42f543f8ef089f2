import { JobsPart } from "../actions/jobs-part.tsx";
import { useRoute } from "../data/use-routes.ts";
import { LetterGroupsPart } from "../letters/letter-groups-part.tsx";
import { LetterList } from "../letters/letter-list.tsx";
import { Crumbs } from "../parts/crumbs.tsx";
import { useAddress } from "../place/location.ts";

/** Shows dead letters: by function and error at first, then those of one error or one function. */
export function Letters() {
  const hasGroups = useRoute("GET /letter-groups");
  const { query } = useAddress();
  const group = query.get("group") ?? "";
  const name = query.get("function") ?? "";
  if (hasGroups === undefined) return null;
  if (hasGroups && group === "" && name === "") return <AllGroups />;
  return (
    <>
      {hasGroups && <Crumbs of={[{ title: "Dead letters", href: "/letters" }]} />}
      <LetterList group={group} name={name} verdict={query.get("verdict") ?? ""} />
    </>
  );
}

function AllGroups() {
  return (
    <>
      <div class="head">
        <h1>Dead letters</h1>
        <span class="muted">
          keys that failed for good; each is tried again every 10 to 15 minutes, after a change of what it
          reads, and by a requeue; letters stay for 14 days
        </span>
      </div>
      <LetterGroupsPart />
      <JobsPart />
    </>
  );
}
