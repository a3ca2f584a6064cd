/** Loaded before a TypeScript program starts (`node --import`): Node older than 24 cannot read it, and says so in a way that helps nobody. */
const [major] = process.versions.node.split('.')

if (Number(major) < 24) {
  console.error(`Node 24 is needed, this is ${process.version}: run it by npm after 'npm ci', or install Node 24.`)
  process.exit(1)
}
