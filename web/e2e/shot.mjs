import { chromium } from "@playwright/test";
import AxeBuilder from "@axe-core/playwright";
const [,, base, ...paths] = process.argv;
const b = await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--disable-gpu','--disable-quic']});
const ctx = await b.newContext({viewport:{width:1280,height:900},reducedMotion:'reduce',locale:'en-GB'}); const page = await ctx.newPage();
page.on('pageerror',e=>console.log('ERR',e)); page.on('console',m=>m.type()==='error'&&console.log('CON',m.text()));
let i=0;
for (const p of paths){ await page.goto(base+p); await page.waitForTimeout(2500); await page.screenshot({path:`/tmp/p2shot${i++}.png`,fullPage:process.env.FULL==='1'});
 const f=await new AxeBuilder({page}).withTags(["wcag2a","wcag2aa","wcag21aa"]).analyze(); console.log(p,f.violations.map(v=>v.id+': '+v.nodes.slice(0,3).map(n=>n.html.slice(0,160)).join(' | '))); }
await b.close();
