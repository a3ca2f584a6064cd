/** `npm run bench [-- warm read size cold anoncreds operations strangers tenants writes delivery]`: what the service costs in time and bytes, as tables; all of them, or those that are named. */

/** Each is loaded when it is its turn: what the others bring with them would be measured too. */
const PARTS: Record<string, () => Promise<void>> = {
  warm: async () => (await import('./warm.ts')).measureWarm(),
  read: async () => (await import('./read.ts')).measureRead(),
  size: async () => (await import('./size.ts')).measureSizes(),
  cold: async () => (await import('./cold.ts')).measureColdStarts(),
  anoncreds: async () => (await import('./anoncreds.ts')).measureAnonCreds(),
  operations: async () => (await import('./operations.ts')).measureOperations(),
  strangers: async () => (await import('./strangers.ts')).measureStrangers(),
  tenants: async () => (await import('./tenants.ts')).measureTenants(),
  delivery: async () => (await import('./delivery.ts')).measureDelivery(),
  writes: async () => (await import('./writes.ts')).measureWrites(),
}

const named = process.argv.slice(2)
const unknown = named.filter((part) => !Object.hasOwn(PARTS, part))
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}: choose of ${Object.keys(PARTS).join(', ')}`)
  process.exit(1)
}

try {
  for (const [part, measure] of Object.entries(PARTS)) if (named.length === 0 || named.includes(part)) await measure()
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
