/**
 * Expressions of Helm in objects. An object that holds them is written as YAML like any other one, then its marks become
 * actions of a template; braces that were there before stay text.
 */
const [OPEN, CLOSE] = ["⟪", "⟫"];

/** Returns the text that becomes the value of an expression. */
export function value(expression: string): string {
  return `${OPEN} ${expression} ${CLOSE}`;
}

/** Returns the text that becomes one value or the other. */
export function valueIf(condition: string, wanted: unknown, otherwise: unknown): string {
  return `${value(`if ${condition}`)}${wanted}${value("else")}${otherwise}${value("end")}`;
}

/** Returns the item of a list that becomes a line with an action: `if`, `range`, `else`, `end`. */
export function line(action: string): string {
  return `${OPEN}- ${action} ${CLOSE}`;
}

/** Returns the items of a list that are there while a condition holds, and others while it does not. */
export function itemsIf(
  condition: string,
  items: readonly unknown[],
  otherwise?: readonly unknown[],
): readonly unknown[] {
  return [line(condition), ...items, ...(otherwise ? [line("else"), ...otherwise] : []), line("end")];
}

/** Returns members that are there while a condition holds. */
export function membersIf(condition: string, members: object): object {
  const key = (action: string) => `${line(action)} of ${condition}`;
  return { [key(condition)]: null, ...members, [key("end")]: null };
}

/** Returns the template of a YAML text with marks. */
export function toTemplate(yaml: string): string {
  return yaml
    .replaceAll("{{", value('"{{"'))
    .replaceAll(/^( *)"?⟪(- .*?)⟫ of .*: null$/gm, (_, indent, action) => `${indent}{{${unescaped(action)}}}`)
    .replaceAll(/^( *)- "?⟪(- .*?)⟫"?$/gm, (_, indent, action) => `${indent}{{${unescaped(action)}}}`)
    .replaceAll(/⟪(.*?)⟫/g, (_, expression) => `{{${unescaped(expression)}}}`);
}

/** Takes away what YAML has escaped in a text in quotes. */
function unescaped(expression: string): string {
  return expression.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
}
