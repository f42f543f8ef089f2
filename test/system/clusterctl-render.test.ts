import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { writeYaml } from "../../infra/platform/yaml/write-yaml.ts";
import { readObjects } from "../../infra/providers/clusterctl/render/namespaces.ts";
import { renderClusterTemplate, renderComponents } from "../../infra/providers/clusterctl/render/render.ts";
import { NO_VALUES, readValues, withEnvironment } from "../../infra/providers/clusterctl/render/typed.ts";
import { valueAt } from "../../shared/api/path.ts";
import type { Manifest } from "../../shared/contract/rules/release/subject.ts";
import { messageOf } from "../../shared/function/errors.ts";
import { renderReleases } from "../support/capstan-release.ts";
import { clusterctlMissing, startClusterctl } from "../support/clusterctl.ts";
import { type Generated, generateComponents, generateProvider } from "../support/generate-provider.ts";
import { ODD_COMPONENTS } from "../support/odd-components.ts";
import { describeWith } from "../support/requires.ts";
import { inShared, sharedMissing } from "../support/shared.ts";
import {
  BROKEN_FORMS,
  componentsWith,
  FORM_VALUES,
  KNOWN_FORMS,
  substitutionForms,
} from "../support/substitution-forms.ts";
import { testFolder } from "../support/test-folder.ts";

const RELEASES = inShared("data/provider-releases");

const LABEL = "infrastructure-forms";
const VALUES = withEnvironment(NO_VALUES, FORM_VALUES);

function rendered(text: string): Generated {
  try {
    return { objects: renderComponents(text, { label: LABEL, targetNamespace: undefined, values: VALUES }) };
  } catch (error) {
    return { refusal: messageOf(error) };
  }
}

function parses(form: string): boolean {
  return "objects" in rendered(componentsWith([form]));
}

/** clusterctl may reverse objects of cert-manager. */
function inOrder({ objects }: { readonly objects: readonly Manifest[] }): readonly Manifest[] {
  const ofCertManager = ({ apiVersion }: Manifest): boolean =>
    String(apiVersion).startsWith("cert-manager.io/");
  const first = objects.filter(ofCertManager).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return [...first, ...objects.filter((object) => !ofCertManager(object))];
}

function nameOf(object: Manifest): string {
  return `${String(object["kind"])} ${String(valueAt(object, "metadata.name"))}`;
}

function objectsOf(generated: Generated): { readonly objects: readonly Manifest[] } {
  if ("objects" in generated) return generated;
  throw new Error(generated.refusal);
}

describeWith(sharedMissing("data/provider-releases") ?? clusterctlMissing())(
  "releases of other providers",
  () => {
    it.each([
      {
        name: "vsphere",
        type: "InfrastructureProvider",
        flag: "--infrastructure",
        version: "v1.17.0",
        prefix: "infrastructure",
      },
      { name: "in-cluster", type: "IPAMProvider", flag: "--ipam", version: "v1.1.0", prefix: "ipam" },
    ])("renders $name as clusterctl does, object for object, also in another namespace", async (provider) => {
      const label = `${provider.prefix}-${provider.name}`;
      const url = `${RELEASES}/${label}/${provider.version}/${provider.prefix}-components.yaml`;
      const env = { VSPHERE_USERNAME: "someone", VSPHERE_PASSWORD: 'it\'s: "secret"'.replaceAll("'", "") };
      const values = withEnvironment(NO_VALUES, env);
      const text = await readFile(url, "utf8");
      for (const targetNamespace of [undefined, "elsewhere"]) {
        const flags = targetNamespace === undefined ? "" : `--target-namespace ${targetNamespace}`;
        const real = objectsOf(await generateProvider({ ...provider, url }, { env, flags }));
        const ours = renderComponents(text, { label, targetNamespace, values });
        expect(inOrder({ objects: ours })).toEqual(inOrder(real));
      }
    });
  },
);

describeWith(clusterctlMissing())("templates of clusters", () => {
  it.each([
    "cluster-template.yaml",
    "cluster-template-machines.yaml",
    "cluster-template-machinedeployment.yaml",
  ])("are rendered as clusterctl generate cluster does: our %s", async (name) => {
    await using releases = await renderReleases(["v0.1.0"]);
    const file = join(releases.folder, "infrastructure-sim", "v0.1.0", name);
    const text = await readFile(file, "utf8");
    expect(renderClusterTemplate(text, TEMPLATED)).toEqual((await generateCluster(file)).objects);
  });

  it("are rendered as clusterctl does where it changes everything", async () => {
    const dir = testFolder("template");
    const file = join(dir, "cluster-template.yaml");
    await writeFile(file, ODD_COMPONENTS);
    expect(renderClusterTemplate(ODD_COMPONENTS, TEMPLATED)).toEqual((await generateCluster(file)).objects);
  });
});

const COMMON = {
  NAMESPACE: "new",
  CLUSTER_NAME: "c1",
  KUBERNETES_VERSION: "v1.34.2",
  CONTROL_PLANE_MACHINE_COUNT: "1",
  WORKER_MACHINE_COUNT: "2",
  ...FORM_VALUES,
};
const TEMPLATED = { targetNamespace: "new", values: withEnvironment(NO_VALUES, COMMON) };

async function generateCluster(file: string): Promise<{ readonly objects: readonly Manifest[] }> {
  await using clusterctl = await startClusterctl({ config: "{}", env: FORM_VALUES });
  const dir = testFolder("generated");
  const out = join(dir, "out.yaml");
  const flags =
    "--target-namespace new --kubernetes-version v1.34.2 --control-plane-machine-count 1 --worker-machine-count 2";
  await clusterctl(`generate cluster c1 --from ${file} --write-to ${out} ${flags}`);
  return { objects: readObjects(await readFile(out, "utf8")).map(({ value }) => value) };
}

describeWith(clusterctlMissing())("our own releases", () => {
  it.each([
    { name: "cluster-api", type: "CoreProvider", flag: "--core", label: "cluster-api", file: "core" },
    {
      name: "sim",
      type: "BootstrapProvider",
      flag: "--bootstrap",
      label: "bootstrap-sim",
      file: "bootstrap",
    },
    {
      name: "sim",
      type: "ControlPlaneProvider",
      flag: "--control-plane",
      label: "control-plane-sim",
      file: "control-plane",
    },
    {
      name: "sim",
      type: "InfrastructureProvider",
      flag: "--infrastructure",
      label: "infrastructure-sim",
      file: "infrastructure",
    },
  ])("render $label as clusterctl does, object for object", async ({ label, file, ...provider }) => {
    const version = "v0.1.0";
    await using releases = await renderReleases([version]);
    const url = join(releases.folder, label, version, `${file}-components.yaml`);
    const real = objectsOf(await generateProvider({ ...provider, version, url }));
    const text = await readFile(url, "utf8");
    const objects = renderComponents(text, { label, targetNamespace: undefined, values: NO_VALUES });
    expect(inOrder({ objects })).toEqual(inOrder(real));
  });
});

describeWith(clusterctlMissing())("components in which clusterctl changes everything", () => {
  it.each([
    ["in their own namespace", {}, undefined],
    ["in another namespace", {}, "new"],
    [
      "with other images",
      {
        images: {
          all: { repository: "mirror.example.com/all/" },
          [LABEL]: { tag: "v2" },
          [`${LABEL}/agent`]: { name: "renamed", tag: "v3" },
        },
      },
      undefined,
    ],
  ])("are rendered as clusterctl does %s", async (_title, config, targetNamespace) => {
    const flags = targetNamespace === undefined ? "" : `--target-namespace ${targetNamespace}`;
    const real = objectsOf(await generateComponents(ODD_COMPONENTS, { env: FORM_VALUES, config, flags }));
    const dir = testFolder("values");
    const file = join(dir, "values.yaml");
    await writeFile(file, writeYaml(config));
    const values = withEnvironment(await readValues(file), FORM_VALUES);
    const objects = renderComponents(ODD_COMPONENTS, { label: LABEL, targetNamespace, values });
    expect(inOrder({ objects })).toEqual(inOrder(real));
  });

  it.each([
    [
      "two Namespaces",
      "---\nkind: Namespace\napiVersion: v1\nmetadata: {name: b}",
      "no more than one",
      "more than one Namespace",
    ],
    [
      "an injection without a slash",
      "---\nkind: MutatingWebhookConfiguration\napiVersion: admissionregistration.k8s.io/v1\nmetadata: {name: b, annotations: {cert-manager.io/inject-ca-from: x}}",
      "does not have a correct value",
      "not of the form namespace/name",
    ],
    [
      "a short image",
      "---\nkind: Deployment\napiVersion: apps/v1\nmetadata: {name: b}\nspec: {template: {spec: {containers: [{name: a, image: nginx}]}}}",
      "must be canonical",
      "is not canonical",
    ],
    ["a document that is not an object", "---\n- a", "failed to parse yaml", "not an object"],
    [
      "a value that breaks the YAML",
      "a: ${BROKEN}",
      "failed to parse yaml",
      "the value of BROKEN breaks the YAML",
    ],
  ])("are refused with %s", async (_title, more, theirs, ours) => {
    const text = `kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n${more}\n`;
    const env = { BROKEN: "x: y: z" };
    expect(await generateComponents(text, { env })).toEqual({ refusal: expect.stringContaining(theirs) });
    const values = withEnvironment(NO_VALUES, env);
    expect(() => renderComponents(text, { label: LABEL, targetNamespace: undefined, values })).toThrow(ours);
  });

  it("are refused without a Namespace and rendered where one is named", async () => {
    const text = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n";
    const real = await generateComponents(text);
    expect(real).toEqual({ refusal: expect.stringContaining("target namespace can't be defaulted") });
    expect(rendered(text)).toEqual({ refusal: expect.stringContaining("have no Namespace") });
    const named = objectsOf(await generateComponents(text, { flags: "--target-namespace new" }));
    expect(renderComponents(text, { label: LABEL, targetNamespace: "new", values: NO_VALUES })).toEqual(
      named.objects,
    );
  });
});

describeWith(clusterctlMissing())("the grammar of variables", () => {
  it("is what clusterctl does with each known form", async () => {
    const forms = KNOWN_FORMS.map(([form]) => form);
    const real = objectsOf(await generateComponents(componentsWith(forms), { env: FORM_VALUES }));
    const results = KNOWN_FORMS.map(([form], index) => [
      form,
      valueAt(real.objects[1], `data.form-${index}`),
    ]);
    expect(results).toEqual(KNOWN_FORMS.map(([form, result]) => [form, `<${result}|>`]));
  });

  it.each(BROKEN_FORMS)("is what clusterctl refuses: %s", async (form, words) => {
    // Nothing follows that could end the form.
    const text = `kind: Namespace\napiVersion: v1\nmetadata: {name: forms} # ${form}`;
    const real = await generateComponents(text, { env: FORM_VALUES });
    expect(real).toEqual({ refusal: expect.stringContaining(`Error: ${words}\n`) });
  });

  it("gives the same text in each form as clusterctl", { timeout: 120_000 }, async () => {
    const forms = fc.sample(substitutionForms, 6_000).filter(parses);
    expect(forms.length).toBeGreaterThan(1_000);
    const real = await generateComponents(componentsWith(forms), { env: FORM_VALUES });
    const ours = rendered(componentsWith(forms));
    const pairs = (generated: Generated) =>
      forms.map((form, index) => [form, valueAt(objectsOf(generated).objects[1], `data.form-${index}`)]);
    expect(pairs(ours)).toEqual(pairs(real));
  });

  it("refuses forms that clusterctl refuses, with its words", { timeout: 120_000 }, async () => {
    const forms = new Set(fc.sample(substitutionForms, 2_000).filter((form) => !parses(form)));
    for (const form of [...forms].slice(0, 40)) {
      const real = await generateComponents(componentsWith([form]), { env: FORM_VALUES });
      const ours = rendered(componentsWith([form]));
      // Halves of a character that one form joins again are a character for clusterctl.
      const isCut = "refusal" in ours && ours.refusal.includes("cuts a character");
      if (isCut && !("refusal" in real)) continue;
      expect({ form, isRefused: "refusal" in real }).toEqual({ form, isRefused: true });
      if (!("refusal" in real && "refusal" in ours)) continue;
      const words = GRAMMAR.exec(real.refusal)?.[0];
      expect({ form, words: GRAMMAR.exec(ours.refusal)?.[0] }).toEqual({ form, words });
    }
  });

  it.each([
    [
      "names all missing variables, sorted",
      "a: ${B}\nb: ${A}\nc: ${C}\nd: ${C:=x}\ne: ${D:=x}\nf: ${D}",
      "[A, B, C]",
      "A, B, C",
    ],
    ["counts the default of the first occurrence only", "a: ${A:=x}${A}\nb: ${B}${B:=x}", "[B]", "B"],
    ["takes an argument of any operator for a default", "a: ${A#v}${B^}${#C}", "[B, C]", "B, C"],
    ["takes an empty default for none", "a: ${A:=}", "[A]", "A"],
    ["does not collect variables within defaults", "a: ${A:=${B}}${C}", "[C]", "C"],
    [
      "finds variables in comments and strings",
      "a: b # ${A}\nb: '${B}'\nc: $${C} ${ D }",
      "[A, B, D]",
      "A, B, D",
    ],
  ])("%s", async (_title, text, theirs, names) => {
    const components = `kind: Namespace\napiVersion: v1\nmetadata: {name: forms}\n${text}\n`;
    const real = await generateComponents(components);
    expect(real).toMatchObject({
      refusal: expect.stringContaining(`value for variables ${theirs} is not set`),
    });
    const ours = (): unknown =>
      renderComponents(components, { label: LABEL, targetNamespace: undefined, values: NO_VALUES });
    expect(ours).toThrow(`variables without value: ${names};`);
  });
});

const GRAMMAR =
  /bad substitution|missing closing brace|unable to parse variable name|unable to parse substitution within function/;
