/** The longest line that is kept, in characters: an answer of a topic is far below. */
const MAX_CHARS = 8_000_000;

/**
 * Reads server-sent events: takes text as it comes and calls `receive` with the data of every complete event. Other fields
 * than `data` are passed over.
 */
export function createEventReader(receive: (data: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_CHARS) throw new Error("a message of the stream is too long");
    for (const line of lines) if (line.startsWith("data:")) receive(line.slice("data:".length).trimStart());
  };
}
