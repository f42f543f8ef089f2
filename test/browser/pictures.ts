import { fileURLToPath } from "node:url";
import type { Scene } from "./scene.ts";

/** States that README shows: `npm run screenshots pictures` writes them. */
export const PICTURES = ["fleet", "cluster", "group-tried"] as const;

/** Of each, in pixels: less than a screen, so that their files stay small. */
export const PICTURE_SIZE = { width: 1280, height: 640 } as const;

/** Of the pictures that are committed. */
export const PICTURES_FOLDER = fileURLToPath(new URL("../../infra/console/page/pictures/", import.meta.url));

/** Returns the names of all states of a scene. */
export function stateNames({ name, steps = [] }: Scene): readonly string[] {
  return [name, ...steps.map((step) => step.name)];
}
