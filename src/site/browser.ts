/** The script of every page of the site. */
import '../web/brand/theme.ts'
import './copy.ts'
import './search.ts'
