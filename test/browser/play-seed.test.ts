import { describe, expect, it } from "vitest";
import { playSeed } from "./play-seed.ts";
import { NOW } from "./scene.ts";
import { SCENES } from "./scenes/all.ts";
import { PLAYED, SEED } from "./scenes/played.ts";

describe("the answers of a seed of the simulation", () => {
  it("are the same when it is played again, byte by byte", async () => {
    const again = await playSeed(SEED);
    for (const topic of PLAYED.texts.keys()) await again.ask(topic);
    expect(Object.fromEntries(again.texts)).toEqual(Object.fromEntries(PLAYED.texts));
  });

  it("are those of most scenes, at NOW", () => {
    const answers = SCENES.filter(({ answers }) =>
      Object.values(answers).some(
        (answer) => answer !== undefined && "asOf" in answer && answer.asOf === NOW,
      ),
    );
    expect(answers.length).toBeGreaterThan(SCENES.length / 2);
  });
});
