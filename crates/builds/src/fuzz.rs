//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read fits together.

use crate::RecipeFile;

/// TOML files of recipes.
///
/// # Panics
/// When a recipe that was read does not survive writing.
pub fn build_recipe(bytes: &[u8]) {
    let Ok((_, recipe)) = RecipeFile::parse(&String::from_utf8_lossy(bytes)) else { return };
    let _ = recipe.check();
    let written = toml::to_string(&recipe);
    assert!(written.is_ok(), "{:?}", written.err());
    assert_eq!(written.ok().and_then(|text| toml::from_str(&text).ok()), Some(recipe));
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_testkit::fuzz::{run, run_large, time_for_each};

    #[test]
    fn recipes_survive_bent_and_large_input() {
        let seed = "repository = 'sf'\nversions = ['sf_16']\nfolder = 'src'\nbuild = ['make -j{threads}']\nbinary = 'a'\n\
                    [env]\nARCH = 'x86-64'\n";
        let name = "builds::build_recipe";
        let bent = run(name, build_recipe, &[seed], 0xC11F, time_for_each(120));
        let large = run_large(name, build_recipe, &[seed.as_bytes().to_vec()], 0xC120);
        println!("{name}: {bent} inputs, {large} of a megabyte");
    }
}
