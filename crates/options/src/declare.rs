//! The macro that declares options.

/// Declares a struct of options; see the [crate documentation](crate). `struct Name(expert)` hides them from GUIs. Options that
/// name files are of type `File` (with `of [..]`: names that are no files) or `Folders`, never `String`. `plain = …` after the name
/// gives the value in [`make_plain`](crate::make_plain).
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident $(($expert:ident))? {
            $( $(#[doc = $doc:literal])* $key:ident : $type:ident $(= $default:literal)? $(in $min:literal ..= $max:literal)? $(of [$($word:literal),+ $(,)?])? , $label:literal $(, plain = $plain:literal)?; )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name {
            $( $(#[doc = $doc])* pub $key: $crate::option_type!($type), )*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $( $key: $crate::option_default!($type $($default)?), )* }
            }
        }

        impl $name {
            const EXPERT: bool = $crate::option_expert!($($expert)?);

            /// The declared options, in order.
            pub const SPECS: &'static [$crate::Spec] = &[ $( $crate::Spec {
                name: $label,
                key: stringify!($key),
                doc: concat!($($doc),*).trim_ascii(),
                kind: $crate::option_kind!($type $($default)? ; $($min, $max)? ; $($($word),+)?),
                expert: Self::EXPERT,
                plain: $crate::option_plain!($($plain)?),
            }, )* ];
        }

        impl $crate::Options for $name {
            fn specs(&self) -> Vec<$crate::Spec> {
                Self::SPECS.to_vec()
            }

            fn get(&self, name: &str) -> Option<String> {
                let spec = $crate::find(Self::SPECS, name).ok()?;
                $( if spec.key == stringify!($key) { return Some($crate::Setting::show(&self.$key)); } )*
                None
            }

            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::OptionError> {
                let spec = $crate::find(Self::SPECS, name)?;
                $( if spec.key == stringify!($key) {
                    self.$key = $crate::Setting::read(&self.$key, value, &spec.kind).ok_or_else(|| {
                        $crate::OptionError::Invalid {
                            name: spec.name,
                            value: value.to_string(),
                            expected: spec.kind.expected(),
                        }
                    })?;
                    return Ok(());
                } )*
                unreachable!("every spec has its field")
            }
        }
    };
}

/// The field type of a declared option.
#[doc(hidden)]
#[macro_export]
macro_rules! option_type {
    (Choice) => {
        String
    };
    (File) => {
        String
    };
    (Folders) => {
        String
    };
    (Button) => {
        $crate::Presses
    };
    ($type:ident) => {
        $type
    };
}

/// The first value of a declared option.
#[doc(hidden)]
#[macro_export]
macro_rules! option_default {
    (Choice $default:literal) => {
        String::from($default)
    };
    (String $default:literal) => {
        String::from($default)
    };
    (File $default:literal) => {
        String::from($default)
    };
    (Folders $default:literal) => {
        String::from($default)
    };
    (Button) => {
        $crate::Presses(0)
    };
    ($type:ident $default:literal) => {
        $default
    };
}

/// The kind of a declared option.
#[doc(hidden)]
#[macro_export]
macro_rules! option_kind {
    (bool $default:literal ; ;) => { $crate::Kind::Flag { default: $default } };
    (String $default:literal ; ;) => { $crate::Kind::Text { default: $default } };
    (File $default:literal ; ; $($name:literal),*) => { $crate::Kind::File { default: $default, names: &[$($name),*], is_list: false } };
    (Folders $default:literal ; ;) => { $crate::Kind::File { default: $default, names: &[], is_list: true } };
    (Choice $default:literal ; ; $($word:literal),+) => { $crate::Kind::Choice { default: $default, among: &[$($word),+] } };
    (Button ; ;) => { $crate::Kind::Button };
    (f32 $default:literal ; $min:literal, $max:literal ;) => { $crate::Kind::Float { default: $default, min: $min, max: $max } };
    (f64 $default:literal ; $min:literal, $max:literal ;) => { $crate::Kind::Float { default: $default, min: $min, max: $max } };
    ($type:ident $default:literal ; $min:literal, $max:literal ;) => { $crate::Kind::Int { default: $default, min: $min, max: $max } };
}

/// The value of an option in its plain form, as text.
#[doc(hidden)]
#[macro_export]
macro_rules! option_plain {
    () => {
        None
    };
    ($plain:literal) => {
        Some(stringify!($plain))
    };
}

/// Whether a set of options is for experts.
#[doc(hidden)]
#[macro_export]
macro_rules! option_expert {
    () => {
        false
    };
    (expert) => {
        true
    };
}
