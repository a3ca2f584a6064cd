/* Asks every 2 seconds for the state of the request that the page shows, for ten minutes, and then shows how it ended. */
const PAUSE = 2_000
const END = Date.now() + 10 * 60_000

const show = (outcome) => {
  document.querySelector('[data-ways]').hidden = true
  document.querySelector(`[data-outcome="${outcome}"]`).hidden = false
}

/** `open` also where the service could not be asked: the next try may tell more. */
const readState = async () => {
  try {
    const response = await fetch(location.href, { headers: { accept: 'application/json' } })
    if (response.status === 404) return 'late'
    return response.ok ? (await response.json()).state : 'open'
  } catch {
    return 'open'
  }
}

const look = async () => {
  const state = await readState()
  if (state !== 'open') show(state)
  else if (Date.now() >= END) show('idle')
  else setTimeout(look, PAUSE)
}

setTimeout(look, PAUSE)
