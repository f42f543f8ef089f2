import { textAt } from "../../../api/path.ts";
import { objectsAt } from "./release-rule.ts";
import type { Release } from "./subject.ts";
import { parseVersion } from "./version.ts";

/** An entry of `releaseSeries` in `metadata.yaml`. */
export interface Series {
  readonly major: number;
  readonly minor: number;
  /** Empty where it is missing. */
  readonly contract: string;
}

/** The entries that clusterctl can decode. */
export function seriesOf({ metadata }: Pick<Release, "metadata">): readonly Series[] {
  return objectsAt(metadata?.documents[0]?.value, "releaseSeries").flatMap((entry) => {
    const { major = 0, minor = 0 } = entry;
    return isCount(major) && isCount(minor) ? [{ major, minor, contract: textAt(entry, "contract") }] : [];
  });
}

/** The first entry for a version counts, as in clusterctl. */
export function seriesFor(
  all: readonly Series[],
  { major, minor }: Pick<Series, "major" | "minor">,
): Series | undefined {
  return all.find((series) => series.major === major && series.minor === minor);
}

/** The entry for the version of the release itself. */
export function ownSeries(release: Release): Series | undefined {
  const version = parseVersion(release.version);
  return version === undefined ? undefined : seriesFor(seriesOf(release), version);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
