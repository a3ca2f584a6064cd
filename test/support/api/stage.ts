/** One world for all files of the api layer: made before the first of them runs, ended after the last. */
import type { TestProject } from 'vitest/node'
import { startWorld, type World } from './world.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    world: World
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const { wallet: _, output: __, stop, ...world } = await startWorld()
  provide('world', world)
  return stop
}
