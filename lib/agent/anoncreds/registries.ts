/** Where AnonCreds objects are read and published: the first registry that knows an id's form is asked. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'

export const registries: AnonCredsRegistry[] = []
