/** Which functions have what of AnonCreds, by the names of their files. All others are bundled without it. */

/** The native library, and what binds it. */
const WITH_LIBRARY = [
  'accept-connection-response',
  'accept-credential-offer',
  'accept-credential-proposal',
  'accept-credential-request',
  'accept-invitation',
  'accept-proof-request',
  'create-offer',
  'create-offer-oob',
  'receive-didcomm',
  'receive-invitation',
  'receive-invitation-url',
  'run-jobs',
]

/** The registries of AnonCreds objects, and did:webvh. */
const WITH_REGISTRIES = [
  ...WITH_LIBRARY,
  'create-credential-definition',
  'create-did',
  'create-schema',
  'get-credential-definition-by-id',
  'get-schema-by-id',
  'resolve-did',
]

const isOneOf = (names: string[], entry: string): boolean => {
  const [, name = ''] = entry.match(/([^/]+?)(?:\.ts)?$/) ?? []
  return names.includes(name)
}

/** `entry` is the path of a function's module. */
export const needsLibrary = (entry: string): boolean => isOneOf(WITH_LIBRARY, entry)

/** `entry` is the path of a function's module. */
export const needsRegistries = (entry: string): boolean => isOneOf(WITH_REGISTRIES, entry)
