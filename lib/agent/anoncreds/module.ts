/** AnonCreds as a module of the agent: Credo's services on the native library and on our registries. */
import { AnonCredsModule } from '@credo-ts/anoncreds'
import { anoncreds } from './library.ts'
import { registries } from './registries.ts'
import { TailsFiles } from './tails-files.ts'

export const anonCredsModule = (): AnonCredsModule =>
  // Credo asks for one registry at least; those of this agent are listed elsewhere.
  new AnonCredsModule({
    anoncreds,
    registries: registries as [(typeof registries)[number]],
    tailsFileService: new TailsFiles(),
  })
