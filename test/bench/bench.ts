/**
 * `npm run bench`: what the service costs in time and bytes, as tables. With names of tables or operations, these
 * alone.
 */

/** Each is loaded in its turn: the modules of the others would be measured too. */
const PARTS: Record<string, () => Promise<void>> = {
  warm: async () => (await import('./warm.ts')).measureWarm(),
  read: async () => (await import('./read.ts')).measureRead(),
  size: async () => (await import('./size.ts')).measureSizes(),
  cold: async () => (await import('./cold.ts')).measureColdStarts(),
  anoncreds: async () => (await import('./anoncreds.ts')).measureAnonCreds(),
  lists: async () => (await import('./lists.ts')).measureLists(),
  openid: async () => (await import('./openid.ts')).measureOpenid(),
  operations: async () => (await import('./operations.ts')).measureOperations(),
  strangers: async () => (await import('./junk-envelopes.ts')).measureJunkEnvelopes(),
  tenants: async () => (await import('./tenants.ts')).measureTenants(),
  removal: async () => (await import('./removal.ts')).measureRemoval(),
  delivery: async () => (await import('./delivery.ts')).measureDelivery(),
  stage: async () => (await import('./stage.ts')).measureStage(),
  writes: async () => (await import('./writes.ts')).measureWrites(),
  paired: async () => (await import('./paired.ts')).measurePaired(),
}

const named = process.argv.slice(2)
const operations = named.filter((name) => !Object.hasOwn(PARTS, name))

try {
  if (operations.length > 0) {
    const { MEASURABLE, measureOperations } = await import('./operations.ts')
    const unknown = operations.filter((name) => !MEASURABLE.includes(name))
    if (unknown.length > 0) {
      const parts = Object.keys(PARTS).join(', ')
      console.error(`there is no ${unknown.join(', ')}: choose of ${parts}, or operations, such as send-message`)
      process.exit(1)
    }
    await measureOperations(operations)
  }
  const parts = Object.entries(PARTS).filter(([part]) => named.length === 0 || named.includes(part))
  for (const [, measure] of parts) await measure()
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
