/** The agent's AnonCreds module: Credo's services with the native library and our registries. */
import { AnonCredsModule } from '@credo-ts/anoncreds'
import { anoncreds } from './library.ts'
import { registries } from './registries.ts'
import { TailsFiles } from './tails-files.ts'

export const anonCredsModule = (): AnonCredsModule =>
  // Credo's type asks for at least one registry.
  new AnonCredsModule({
    anoncreds,
    registries: registries as [(typeof registries)[number]],
    tailsFileService: new TailsFiles(),
  })
