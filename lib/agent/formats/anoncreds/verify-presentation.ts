/**
 * Verifies an AnonCreds presentation with the library, and with the checks that the library and Credo omit. It only
 * reads, so it can be repeated.
 */
import type {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
  VerifyProofOptions,
} from '@credo-ts/anoncreds'
import {
  assertObjects,
  assertRestrictions,
  type Checked,
  checkBeforeReading,
  type Objects,
  PresentationError,
  type Registry,
  requestForLibrary,
  type ToProve,
  toProveNotRevoked,
  validLists,
} from './presentation-checks/index.ts'

/**
 * Dependencies of verification: readers of published objects, which throw a `PresentationError` if an object does not
 * exist, and the library. After other errors the presentation may still be valid.
 */
export interface Verifier {
  schema(id: string): Promise<AnonCredsSchema>
  credentialDefinition(id: string): Promise<AnonCredsCredentialDefinition>
  revocationRegistry(id: string): Promise<AnonCredsRevocationRegistryDefinition>
  /** The list that was valid at `at` (epoch seconds). */
  statusList(registryId: string, at: number): Promise<AnonCredsRevocationStatusList>
  verify(options: VerifyProofOptions): Promise<boolean>
}

/**
 * Resolves if the presentation proves everything that the request asks for. Throws a `PresentationError` with the
 * reason.
 */
export const verifyPresentation = async (
  request: unknown,
  presentation: unknown,
  verifier: Verifier,
): Promise<void> => {
  const checked = checkBeforeReading(request, presentation)
  const objects = await readObjects(checked, verifier)
  assertObjects(checked.presentation, objects)
  assertRestrictions(checked.assignments, checked.presentation, objects)
  const now = Date.now() / 1000
  const toProve = toProveNotRevoked(checked.request, checked.assignments, checked.presentation, objects, now)
  const registries = await readRegistries(toProve, verifier)
  const lists = validLists(toProve, objects, registries)
  await assertByLibrary(checked, { ...objects, registries, lists }, verifier)
}

/** Reads each id once, concurrently. */
const readEach = async <Read>(ids: Iterable<string>, read: (id: string) => Promise<Read>): Promise<Map<string, Read>> =>
  new Map(await Promise.all([...new Set(ids)].map(async (id) => [id, await read(id)] as const)))

const readObjects = async ({ presentation }: Checked, verifier: Verifier): Promise<Objects> => {
  const { identifiers } = presentation
  const [schemas, definitions] = await Promise.all([
    readEach(
      identifiers.map(({ schema_id }) => schema_id),
      (id) => verifier.schema(id),
    ),
    readEach(
      identifiers.map(({ cred_def_id }) => cred_def_id),
      (id) => verifier.credentialDefinition(id),
    ),
  ])
  return { schemas, definitions }
}

const readRegistries = (toProve: readonly ToProve[], verifier: Verifier): Promise<Map<string, Registry>> =>
  readEach(
    toProve.map(({ registryId }) => registryId),
    async (registryId) => {
      const ends = toProve.filter((one) => one.registryId === registryId).flatMap((one) => one.ends)
      const [definition, ...lists] = await Promise.all([
        verifier.revocationRegistry(registryId),
        ...[...new Set(ends)].map(async (end) => [end, await verifier.statusList(registryId, end)] as const),
      ])
      return { definition, listAt: new Map(lists) }
    },
  )

interface Read extends Objects {
  registries: ReadonlyMap<string, Registry>
  lists: readonly AnonCredsRevocationStatusList[]
}

const assertByLibrary = async ({ request, presentation }: Checked, read: Read, verifier: Verifier): Promise<void> => {
  const { schemas, definitions, registries, lists } = read
  const isValid = await verifier.verify({
    proofRequest: requestForLibrary(request) as VerifyProofOptions['proofRequest'],
    proof: presentation as VerifyProofOptions['proof'],
    schemas: Object.fromEntries(schemas),
    credentialDefinitions: Object.fromEntries(definitions),
    revocationRegistries: Object.fromEntries(
      [...registries].map(([id, { definition }]) => [
        id,
        { definition, revocationStatusLists: listsOf(lists.filter(({ revRegDefId }) => revRegDefId === id)) },
      ]),
    ),
  })
  if (!isValid) throw new PresentationError('the proof is not valid')
}

const listsOf = (lists: readonly AnonCredsRevocationStatusList[]) =>
  Object.fromEntries(lists.map((list) => [list.timestamp, list]))
