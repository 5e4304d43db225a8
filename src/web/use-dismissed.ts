import { type RefObject, useEffect } from 'react'

/** Closes an open disclosure on Escape, and when a click or the focus leaves it. */
export function useDismissed(disclosure: RefObject<HTMLDetailsElement | null>) {
  useEffect(() => {
    const leave = ({ target }: Event) => {
      const { current } = disclosure
      if (current?.open && !current.contains(target as Node)) current.open = false
    }
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      const { current } = disclosure
      if (key !== 'Escape' || !current?.open) return
      current.open = false
      current.querySelector('summary')?.focus()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [disclosure])
}
