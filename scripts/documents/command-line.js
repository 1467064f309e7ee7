import { buildProgram } from '#product/cli/program.js';
import { code, table } from './markdown.js';

/** Every command with its options, from the declarations in `src/cli/`. */
export function commandLineDocument() {
  return `# Command line

\`satline\` works on the database and with the secrets key that the [configuration](configuration.md) names. Every command
has \`--help\` with examples, and all but \`satline start\` take \`--json\`. From a clone it is \`node bin/satline.js\`, after \`npm run build\`.

${leaves(buildProgram()).map(section).join('\n\n')}`;
}

function leaves(command) {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function section(command) {
  const words = command.registeredArguments.map((one) => [code(`<${one.name()}>`), one.description]);
  const options = command.options
    .filter((option) => !option.hidden && option.long !== '--json')
    .map((option) => [code(option.flags), option.description + defaultOf(option)]);
  const rows = [...words, ...options];
  return [
    `## ${pathOf(command)}`,
    `${command.description()}.`,
    ...(rows.length > 0 ? [table(['option', 'meaning'], rows)] : []),
  ].join('\n\n');
}

function defaultOf({ defaultValue, mandatory }) {
  if (defaultValue !== undefined) return ` (${code(defaultValue)} without it)`;
  return mandatory ? ' (required)' : '';
}

function pathOf(command) {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
