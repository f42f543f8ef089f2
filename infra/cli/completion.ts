import { Argument, type Command } from "commander";
import { printSource } from "../platform/terminal/print.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Words that may follow `path`: `dlq list` → its subcommands and options. */
interface Place {
  /** The path without `capstan`; empty for the first word. */
  readonly path: string;
  readonly commands: readonly Command[];
  /** `--queue`. */
  readonly options: readonly { readonly name: string; readonly description: string }[];
}

export function completionCommand(
  command: Command,
  loadCommands: () => Promise<readonly Command[]>,
): Command {
  return command
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .addHelpText("after", "\nExample:\n  source <(capstan completion bash)")
    .action(async (shell: Shell) => printSource(scriptFor(shell, await loadCommands())));
}

/** Returns the script of a shell, made from the declarations of the commands. */
function scriptFor(shell: Shell, commands: readonly Command[]): string {
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

/** Commands whose arguments are names, which `capstan complete-words` knows. */
const NAMED = /^(explain|history|queue( pause| resume)?|dlq (list|show|replay|drop|export))$/;

/**
 * Words that are not a command, such as values of options, do not extend the path; the rest is completed with files.
 */
function bashScript(places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`]));
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands.map((each) => each.name()), ...options.map(({ name }) => name), "--help"];
    return `    "${path}") COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word")) ;;`;
  });
  const named = places.flatMap(({ path }) => (NAMED.test(path) ? [`"${path}"`] : []));
  return `_capstan() {
  # Not "path", which is the search path of zsh.
  local word="\${COMP_WORDS[COMP_CWORD]}" place="" next
  for next in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${place:+$place }$next" in
      ${paths.join("|")}) place="\${place:+$place }$next" ;;
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
  case "$word" in -*) return ;; esac
  case "$place" in
    ${named.join("|")})
      # Parsed again, for the command may be an alias; only its own word becomes text, and quoted.
      next="$(eval "$(printf %q "\${COMP_WORDS[0]}")"' complete-words --within "\${CAPSTAN_COMPLETION_MS:-300}" -- "\${COMP_WORDS[@]:1:$COMP_CWORD}"' 2>/dev/null)"
      COMPREPLY+=($(compgen -W "$next" -- "$word")) ;;
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
  const within = "(set -q CAPSTAN_COMPLETION_MS; and echo $CAPSTAN_COMPLETION_MS; or echo 300)";
  const words = "(commandline -opc)[2..-1] (commandline -ct)";
  const names = `(capstan complete-words --within ${within} -- ${words} 2>/dev/null)`;
  const commands = places.flatMap(({ path }) => (NAMED.test(path) ? [path.split(" ")[0]] : []));
  const when = `__fish_seen_subcommand_from ${[...new Set(commands)].join(" ")}`;
  return `${[...lines, `complete -c capstan -n '${when}' -a '${names}'`].join("\n")}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll(/\s+/g, " ");
}
