/** Where AnonCreds objects are read and published: the first registry that knows an id's form is asked. */
import type { AnonCredsRegistry } from '@credo-ts/anoncreds'
import { IndyRegistry } from './indy-registry.ts'

export const registries: AnonCredsRegistry[] = [new IndyRegistry()]
