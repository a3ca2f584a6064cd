/** What Credo wants from its platform: on Lambda, there is no file system to keep things in and no socket to listen on. */
import { EventEmitter } from 'node:events'
import { type AgentDependencies, CredoError, type FileSystem } from '@credo-ts/core'

class NoFileSystem implements FileSystem {
  readonly dataPath = ''
  readonly cachePath = ''
  readonly tempPath = ''

  async exists(): Promise<boolean> {
    return false
  }

  createDirectory = refuse
  copyFile = refuse
  write = refuse
  read = refuse
  delete = refuse
  downloadToFile = refuse
}

async function refuse(): Promise<never> {
  throw new CredoError('this agent has no files, and fetches nothing unguarded')
}

export const agentDependencies: AgentDependencies = {
  FileSystem: NoFileSystem,
  EventEmitterClass: EventEmitter,
  // What this agent reads from the web goes through web-documents.ts.
  fetch: refuse,
  // Only asked for by transports that this agent does not have.
  WebSocketClass: undefined as unknown as AgentDependencies['WebSocketClass'],
}
