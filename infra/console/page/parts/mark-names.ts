/** States that are drawn: never by colour alone, each has a shape and its word stands beside it. The worst first. */
export const MARKS = {
  dead: { word: "Dead letter", tone: "bad" },
  failing: { word: "Failing", tone: "bad" },
  unreachable: { word: "Unreachable", tone: "warn" },
  waiting: { word: "Waiting", tone: "warn" },
  unknown: { word: "Not known", tone: "muted" },
  progressing: { word: "In progress", tone: "accent" },
  deleting: { word: "Being deleted", tone: "muted" },
  paused: { word: "Paused", tone: "muted" },
  healthy: { word: "Healthy", tone: "good" },
  silent: { word: "Says nothing about itself", tone: "muted" },
} as const;
export type MarkName = keyof typeof MARKS;
export const MARK_NAMES = Object.keys(MARKS) as readonly MarkName[];
