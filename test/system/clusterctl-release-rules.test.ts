import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { clusterctlMissing } from "../support/clusterctl.ts";
import { type Generated, generateProvider } from "../support/generate-provider.ts";
import { BROKEN_COMPONENTS } from "../support/releases/broken-components.ts";
import { BROKEN_CONTROLLERS } from "../support/releases/broken-controllers.ts";
import { BROKEN_FOLDERS } from "../support/releases/broken-folders.ts";
import { BROKEN_TEMPLATES } from "../support/releases/broken-templates.ts";
import { type Change, filesOf } from "../support/releases/change.ts";
import { storeRelease } from "../support/releases/good-release.ts";
import { describeWith } from "../support/requires.ts";

const BROKEN = [...BROKEN_FOLDERS, ...BROKEN_COMPONENTS, ...BROKEN_CONTROLLERS, ...BROKEN_TEMPLATES];

/** Rules that `generate provider` enforces, and its words; it reads no templates and installs nothing. */
const ENFORCED: { readonly [title: string]: string } = {
  "a label without a known prefix": "must contain provider",
  "the plural of the book": "must contain provider",
  "a version that is not semantic": "invalid version",
  "no components": "failed to read file",
  "no metadata": 'failed to read "metadata.yaml"',
  "another apiVersion": 'error decoding "metadata.yaml"',
  "metadata that does not parse": 'error decoding "metadata.yaml"',
  "another kind": 'error decoding "metadata.yaml"',
  "no series": "releaseSeries is empty",
  "a series with texts for numbers": 'error decoding "metadata.yaml"',
  "no series of its own": "does not match any release series",
  // It names those contracts in any order.
  "an old contract": "is only compatible with provider implementing v1beta",
  "a name with capitals": "must be in lower case",
  "the name of core": "must be used with the CoreProvider type",
  "no Namespace": "target namespace can't be defaulted",
  "two Namespaces": "no more than one resource with Kind Namespace",
  "a short image": "must be canonical",
  "a variable without value": "value for variables [GOOD_VERBOSITY] is not set",
  "an empty default": "value for variables [GOOD_VERBOSITY] is not set",
  "a bad substitution": "missing closing brace",
  "an injection without namespace": "does not have a correct value",
};

async function generated(change: Change): Promise<Generated> {
  await using stored = await storeRelease(filesOf(change), change);
  const version = basename(stored.folder);
  const label = basename(dirname(stored.folder));
  const file =
    Object.keys(filesOf(change)).find((name) => name.endsWith("components.yaml")) ??
    "infrastructure-components.yaml";
  return await generateProvider({
    ...providerOf(label),
    version,
    url: join(stored.folder, file),
  });
}

function providerOf(label: string): { readonly name: string; readonly type: string; readonly flag: string } {
  if (label.startsWith("runtime-extension-")) {
    return {
      name: label.slice("runtime-extension-".length),
      type: "RuntimeExtensionProvider",
      flag: "--runtime-extension",
    };
  }
  return {
    name: label.replace("infrastructure-", ""),
    type: "InfrastructureProvider",
    flag: "--infrastructure",
  };
}

describeWith(clusterctlMissing())("rules on releases, beside the real clusterctl", () => {
  it("takes the good release", async () => {
    expect(await generated({})).toEqual({ objects: expect.anything() });
  });

  it.each(BROKEN.map(([rule, title, change]) => ({ rule, title, change })))(
    "$rule: $title",
    async ({ title, change }) => {
      const words = ENFORCED[title];
      const expected =
        words === undefined ? { objects: expect.anything() } : { refusal: expect.stringContaining(words) };
      expect(await generated(change)).toEqual(expected);
    },
  );
});
