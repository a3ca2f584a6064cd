/** Which functions use AnonCreds' native library and registries, by the names of their files. All others are bundled without them. */

/** With the native library and its binding. */
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

/** With the registries of AnonCreds objects, and did:webvh. */
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
