/** Loaded before a TypeScript program starts (`node --import`): Node older than 24 can't run it, and would end with an error that does not say why. */
const [major] = process.versions.node.split('.')

if (Number(major) < 24) {
  console.error(`Node 24 is needed, this is ${process.version}: run it by npm after 'npm ci', or install Node 24.`)
  process.exit(1)
}
