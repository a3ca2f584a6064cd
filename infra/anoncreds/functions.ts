/**
 * Which functions use AnonCreds' native library and registries: `anoncreds` or `registries` in `uses`. All others are
 * bundled without them.
 */
import { functionsOfServiceFile } from '../access/service-file.ts'

/** `entry` is the path or the name of a function's module, with or without extension. */
const usesOf = (entry: string): string[] => {
  const [, name = ''] = entry.match(/([^/]+?)(?:\.ts)?$/) ?? []
  const definition = Object.values(functionsOfServiceFile()).find(({ handler }) =>
    handler.startsWith(`functions/${name}.`),
  )
  return definition?.uses ?? []
}

/** With the native library and its binding. */
export const needsLibrary = (entry: string): boolean => usesOf(entry).includes('anoncreds')

/** With the registries of AnonCreds objects, and did:webvh. */
export const needsRegistries = (entry: string): boolean =>
  usesOf(entry).some((name) => name === 'anoncreds' || name === 'registries')
