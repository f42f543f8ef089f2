import { Argument, Command } from "commander";
import { printSource } from "./terminal/print.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Words that may follow `path`: `dlq list` → its subcommands and options. */
interface Place {
  /** Without `capstan`; empty for the first word. */
  readonly path: string;
  readonly commands: readonly Command[];
  /** `--queue`. */
  readonly options: readonly { readonly name: string; readonly description: string }[];
}

export function completionCommand(loadCommands: () => Promise<readonly Command[]>): Command {
  return new Command("completion")
    .description("Print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .addHelpText("after", "\nExample:\n  source <(capstan completion bash)")
    .action(async (shell: Shell) => printSource(scriptFor(shell, await loadCommands())));
}

/** Returns the script of a shell, made from the declarations of the commands. */
export function scriptFor(shell: Shell, commands: readonly Command[]): string {
  const places = [{ path: "", commands, options: [] }, ...commands.flatMap((each) => placesOf(each, ""))];
  if (shell === "fish") return fishScript(places);
  const script = bashScript(places);
  return shell === "bash" ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function placesOf(command: Command, above: string): readonly Place[] {
  const path = `${above} ${command.name()}`.trim();
  const options = command.options.flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ name: long, description }],
  );
  const place = { path, commands: command.commands, options };
  return [place, ...command.commands.flatMap((each) => placesOf(each, path))];
}

/**
 * Words that are not a command, such as values of options, do not extend the path; the rest is completed with
 * files.
 */
function bashScript(places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands.map((each) => each.name()), ...options.map(({ name }) => name), "--help"];
    return `    "${path}") COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word")) ;;`;
  });
  return `_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" next
  for next in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$next" in
      ${paths.join("|")}) path="\${path:+$path }$next" ;;
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
}
complete -o default -F _capstan capstan
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const when =
      path === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.split(" ").at(-1)}`;
    const start = `complete -c capstan -n '${when}'`;
    return [
      ...commands.map((each) => `${start} -a ${each.name()} -d '${quoted(each.description())}'`),
      ...options.map(({ name, description }) => `${start} -l ${name.slice(2)} -d '${quoted(description)}'`),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll(/\s+/g, " ");
}
