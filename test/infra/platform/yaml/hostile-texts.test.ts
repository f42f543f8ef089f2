import { expect, it } from "vitest";
import { readYaml, YamlError } from "../../../../infra/platform/yaml/read-yaml.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";

const BOUNDS = { maxBytes: 512 * 1024, maxDocuments: 1_000_000, maxAliases: 1_000_000 };

// The limit is for a hang: each took minutes, or never ended, with a parser of quadratic time.
it.each(Object.keys(HOSTILE_TEXTS))("YAML ends with 256 KiB of %s", { timeout: 60_000 }, (shape) => {
  const text = HOSTILE_TEXTS[shape]?.(256 * 1024) ?? "";
  expect(text.length).toBeGreaterThan(100_000);
  for (const maxMarks of [50_000, 1_000_000]) {
    try {
      readYaml(text, { ...BOUNDS, maxMarks });
    } catch (error) {
      expect(error).toBeInstanceOf(YamlError);
    }
  }
});
