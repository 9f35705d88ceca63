// Writes an SBOM (CycloneDX 1.6) of the binary from `cargo metadata` on standard input. It lists the crates that are
// linked into the program, not those that build or test it.
//   node script/sbom.mjs VERSION COMMIT
import { readFileSync } from 'node:fs';

const [version, commit] = process.argv.slice(2);
const { packages, resolve } = JSON.parse(readFileSync(0, 'utf8'));
const byId = new Map(packages.map((one) => [one.id, one]));
const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
const isLinked = (dependency) => dependency.dep_kinds.some((kind) => kind.kind === null);

const program = packages.find((one) => one.name === 'countersign-server');
const linked = new Map();
const waiting = [program.id];
while (waiting.length > 0) {
  const id = waiting.pop();
  if (linked.has(id)) continue;
  // A procedural macro is run by the compiler and is not part of the program.
  if (byId.get(id).targets.some((target) => target.kind.includes('proc-macro'))) continue;
  const dependencies = nodes.get(id).deps.filter(isLinked).map((dependency) => dependency.pkg);
  linked.set(id, dependencies);
  waiting.push(...dependencies);
}

const reference = (one) => `pkg:cargo/${one.name}@${one.version}`;
const component = (one) => ({
  type: 'library',
  'bom-ref': reference(one),
  name: one.name,
  version: one.version,
  purl: reference(one),
  licenses: one.license ? [{ expression: one.license.replaceAll('/', ' OR ') }] : [],
});
const others = [...linked.keys()].filter((id) => id !== program.id).map((id) => byId.get(id));
others.sort((one, other) => reference(one).localeCompare(reference(other)));
const list = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': reference(program),
      name: 'countersign',
      version,
      properties: [{ name: 'commit', value: commit }],
    },
  },
  components: others.map(component),
  dependencies: [...linked].map(([id, dependencies]) => ({
    ref: reference(byId.get(id)),
    dependsOn: dependencies.filter((other) => linked.has(other)).map((other) => reference(byId.get(other))),
  })),
};
process.stdout.write(`${JSON.stringify(list, null, 1)}\n`);
