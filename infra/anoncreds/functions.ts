/**
 * Which functions use AnonCreds' native library and registries: `anoncreds` or `registries` in `permissions`; and which
 * read a did:webvh. All others are bundled without them.
 */
import { GROUPS } from '../access/groups.ts'
import { functionsOfServiceFile } from '../access/service-file.ts'

/** `entry` is the path or the name of a function's module, with or without extension. */
const permissionsOf = (entry: string): string[] => {
  const [, name = ''] = entry.match(/([^/]+?)(?:\.ts)?$/) ?? []
  const definition = Object.values(functionsOfServiceFile()).find(({ handler }) =>
    handler.startsWith(`functions/${name}.`),
  )
  return definition?.permissions ?? []
}

/** With the native library and its binding. */
export const needsLibrary = (entry: string): boolean => permissionsOf(entry).includes('anoncreds')

/** With the registries of AnonCreds objects. */
export const needsRegistries = (entry: string): boolean =>
  permissionsOf(entry).some((name) => name === 'anoncreds' || name === 'registries')

/** Whether `permissions` has a group by itself, or by another group. */
const hasGroup = (permissions: readonly string[], group: keyof typeof GROUPS): boolean =>
  permissions.some((name) => name === group || (name in GROUPS && hasGroup(GROUPS[name as keyof typeof GROUPS], group)))

/** With did:webvh: the receiver of a function's messages may have one. */
export const needsWebvh = (entry: string): boolean =>
  needsRegistries(entry) || hasGroup(permissionsOf(entry), 'resolves')

/** Optional parts of a bundle. */
export const contentsOf = (entry: string) => ({
  withLibrary: needsLibrary(entry),
  withRegistries: needsRegistries(entry),
  withWebvh: needsWebvh(entry),
})
export type Contents = ReturnType<typeof contentsOf>
